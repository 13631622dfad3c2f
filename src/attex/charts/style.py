"""One look for all figures."""

from typing import Any

PALETTE = ["#3b4cc0", "#d1603d", "#2a9d8f", "#8e5ea2", "#b8860b", "#4d4d4d"]
"""Told apart in print and by most colour-blind readers."""

GREY = "#9a9a9a"
"""What chance gives."""

WIDTH, HEIGHT = 420, 260


def finish(chart: Any) -> dict[str, Any]:
    """Give an Altair chart the common look and return its specification."""
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
    specification: dict[str, Any] = styled.to_dict()
    return specification
