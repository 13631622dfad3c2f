"""The pictures of a chart are those that the library makes of it directly."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import vl_convert

from attex.charts.density import density_chart, density_rows
from attex.charts.pictures import draw, svg_of


def test_pictures_made_of_one_drawing_are_those_of_the_chart(tmp_path: Path) -> None:
    values = np.linspace(-0.5, 0.9, 40)
    chart = density_chart(density_rows("a", values), "title", "axis", ceilings={"a": 0.8})
    draw({"one": chart}, tmp_path)
    whole = json.dumps(chart)
    assert (tmp_path / "one.png").read_bytes() == vl_convert.vegalite_to_png(whole, scale=2)
    assert (tmp_path / "one.svg").read_text(encoding="utf-8") == vl_convert.vegalite_to_svg(whole)
    # Its parts are numbered anew each time: what is drawn and on which page is not.
    ours, theirs = (tmp_path / "one.pdf").read_bytes(), vl_convert.vegalite_to_pdf(whole)
    assert len(ours) == len(theirs)
    assert re.findall(rb"/MediaBox \[.*?\]", ours) == re.findall(rb"/MediaBox \[.*?\]", theirs) != []


def test_a_drawing_is_the_same_whatever_was_drawn_before() -> None:
    values = [{"x": x, "y": -x} for x in range(5)]
    scale = {"domain": [1, 3]}
    fields: dict[str, Any] = {axis: {"field": axis, "type": "quantitative"} for axis in ("x", "y")}
    layer = {
        "mark": {"type": "rule", "clip": True},
        "encoding": fields | {"x": fields["x"] | {"scale": scale}},
    }
    chart = {"data": {"values": values}, "layer": [layer, layer], "width": 90}
    first, raw = svg_of(chart), vl_convert.vegalite_to_svg(json.dumps(chart))
    assert first == svg_of(chart)
    assert set(re.findall(r"clip\d+", first)) == {"clip0", "clip1"}
    assert re.sub(r"clip\d+", "", first) == re.sub(r"clip\d+", "", raw)
