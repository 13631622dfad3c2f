"""Charts as pictures, for papers and slides."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PICTURES = ("png", "svg", "pdf")
"""The kinds of file that every chart is drawn as."""


def draw(charts: Mapping[str, dict[str, Any]], folder: Path) -> None:
    """Draw every chart into the folder, as `NAME.png`, `NAME.svg` and `NAME.pdf`."""
    import vl_convert

    for name, chart in charts.items():
        # The chart is laid out once, which takes longest; the other two are made of that drawing.
        svg: str = vl_convert.vegalite_to_svg(json.dumps(chart))
        png: bytes = vl_convert.svg_to_png(svg, scale=2)
        pdf: bytes = vl_convert.svg_to_pdf(svg)
        for kind, content in zip(PICTURES, (png, svg.encode(), pdf), strict=True):
            (folder / f"{name}.{kind}").write_bytes(content)
