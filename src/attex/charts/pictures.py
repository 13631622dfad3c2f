"""Charts as pictures, for papers and slides."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PICTURES = ("png", "svg", "pdf")
"""The kinds of file that every chart is drawn as."""


_NUMBERED = re.compile(r"\b(clip|gradient_)(\d+)\b")
"""Names inside a drawing that count on from the drawing before."""


def svg_of(chart: Mapping[str, Any]) -> str:
    """Draw a chart as SVG: the same text, whatever this process has drawn before."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(json.dumps(chart))
    places = {name: place for place, name in enumerate(dict.fromkeys(_NUMBERED.findall(svg)))}
    return _NUMBERED.sub(lambda found: f"{found[1]}{places[found.groups()]}", svg)


def draw(charts: Mapping[str, dict[str, Any]], folder: Path) -> None:
    """Draw every chart into the folder, as `NAME.png`, `NAME.svg` and `NAME.pdf`."""
    import vl_convert

    for name, chart in charts.items():
        # The chart is laid out once, which takes longest; the other two are made of that drawing.
        svg = svg_of(chart)
        png: bytes = vl_convert.svg_to_png(svg, scale=2)
        pdf: bytes = vl_convert.svg_to_pdf(svg)
        for kind, content in zip(PICTURES, (png, svg.encode(), pdf), strict=True):
            (folder / f"{name}.{kind}").write_bytes(content)
