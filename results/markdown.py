"""Numbers and tables of the results pages."""

from collections.abc import Sequence


def number(value: float | None) -> str:
    """Write a number, or what stands for none."""
    if value is None or value != value:
        return "–"
    # What rounds to 0 has no sign.
    return f"{round(value, 3) + 0.0:.3f}".replace("-", "−")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay a table out in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def plain(text: str) -> str:
    """Write text of which nothing is a link, as `gradient_norm[one-hot](target=gold)`."""
    return text.replace("](", "]\\(")
