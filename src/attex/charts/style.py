"""One look for all figures."""

from typing import Any

PALETTE = ["#3b4cc0", "#d1603d", "#2a9d8f", "#8e5ea2", "#b8860b", "#4d4d4d"]
"""Told apart in print and by most colour-blind readers."""

GREY = "#9a9a9a"
"""What chance gives."""

WIDTH, HEIGHT = 420, 260

SEEDS_AND_INTERVAL = (
    "A large dot is the mean over all seeds, the line through it the 95 % interval, and a small dot the "
    "mean of one seed."
)
"""The caption of charts that show both."""


def finish(chart: Any, caption: str = "") -> dict[str, Any]:
    """Give an Altair chart the common look and return its specification.

    The caption says what each mark is: the report prints it below the chart, and what reads pages
    aloud has nothing else to read. It is the specification's `description`.
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
    return specification
