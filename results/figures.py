"""Figures of the results pages as files."""

from pathlib import Path
from typing import Any

from attex.charts.pictures import svg_of


def write_figure(path: Path, specification: dict[str, Any]) -> None:
    """Write a figure as SVG."""
    path.with_suffix(".svg").write_text(svg_of(specification))
