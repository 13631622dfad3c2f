"""The charts of an analysis → pictures of them, which take longer to draw than to copy."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.charts.pictures import draw
from attex.foundations.storage import read_json
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class FiguresStage(Stage):
    """Settings: the version of what draws (`drawn_by`). Input: analysis."""

    kind, version = "figures", 1

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Draw every chart as PNG, SVG and PDF."""
        draw(read_json(inputs["analysis"] / "charts.json"), folder)
