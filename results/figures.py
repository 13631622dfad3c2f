"""Figures of the results pages as files."""

import json
from pathlib import Path
from typing import Any

import vl_convert


def write_figure(path: Path, specification: dict[str, Any]) -> None:
    """Write a figure as SVG."""
    path.with_suffix(".svg").write_text(vl_convert.vegalite_to_svg(json.dumps(specification)))
