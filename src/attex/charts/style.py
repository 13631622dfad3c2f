"""One look for all figures."""

from collections.abc import Mapping
from typing import Any

PALETTE = ["#3b4cc0", "#d1603d", "#2a9d8f", "#8e5ea2", "#b8860b", "#4d4d4d"]
"""Told apart in print and by most colour-blind readers."""

GREY = "#9a9a9a"
"""What chance gives."""

WIDTH, HEIGHT = 420, 260
WIDE = 600
"""The width of charts that are about a whole study."""

HOLDS, UNDECIDED, REVERSED = "holds", "undecided", "reversed"
VERDICTS = {HOLDS: "#3b4cc0", UNDECIDED: "#b4b4b4", REVERSED: "#d1603d"}
"""What can come of a conclusion in one universe, each with its colour."""

VERDICT_SHAPES = {HOLDS: "circle", UNDECIDED: "square", REVERSED: "triangle-down"}
"""The same without colours."""

SEEDS_AND_INTERVAL = (
    "A large dot is the mean over all seeds, the line through it the 95 % interval, and a small dot the "
    "mean of one seed."
)
"""The caption of charts that show both."""


def finish(
    chart: Any, caption: str = "", data: Mapping[str, list[dict[str, Any]]] | None = None
) -> dict[str, Any]:
    """Give an Altair chart the common look and return its specification.

    The caption says what each mark is: the report prints it below the chart, and what reads pages
    aloud has nothing else to read. It is the specification's `description`. `data` are rows that the
    chart goes by the names of: a large table is not copied then at every step of making a chart.
    """
    styled = (
        chart.configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridColor="#e8e8e8"
        )
        .configure_title(fontSize=14, fontWeight=600, anchor="start", offset=10)
        .configure_legend(
            labelFontSize=12, titleFontSize=12, orient="top", title=None, labelLimit=320, symbolOpacity=1
        )
    )
    captioned = styled.properties(description=caption) if caption else styled
    specification: dict[str, Any] = captioned.to_dict()
    if data:
        specification["datasets"] = specification.get("datasets", {}) | data
    return specification


def short(number: float) -> float | None:
    """Shorten a number to what can be seen, so that a file stays small; None for NaN."""
    return None if number != number else float(f"{number:.5g}")
