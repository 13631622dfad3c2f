"""The charts of an analysis → pictures of them, which take longer to draw than to copy."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attex.foundations.storage import read_json
from attex.runner.stage import Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


class FiguresStage(Stage):
    """Settings: the version of what draws (`drawn_by`). Input: analysis."""

    kind, version = "figures", 1

    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Draw every chart as PNG, SVG and PDF."""
        import vl_convert

        for name, chart in read_json(inputs["analysis"] / "charts.json").items():
            specification, path = json.dumps(chart), folder / name
            png: bytes = vl_convert.vegalite_to_png(specification, scale=2)
            pdf: bytes = vl_convert.vegalite_to_pdf(specification)
            path.with_name(f"{name}.png").write_bytes(png)
            path.with_name(f"{name}.svg").write_text(vl_convert.vegalite_to_svg(specification))
            path.with_name(f"{name}.pdf").write_bytes(pdf)
