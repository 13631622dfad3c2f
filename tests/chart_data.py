"""The data that a chart was made with, out of its specification."""

from typing import Any

from caption_words import inside


def rows_with(chart: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """Return the first rows of a chart that have this field."""
    return next(rows for rows in _tables(chart) if field in rows[0])


def all_rows_with(chart: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """Return all rows of a chart that have this field, of whichever panel."""
    return [row for rows in _tables(chart) for row in rows if field in row]


def _tables(chart: dict[str, Any]) -> list[list[dict[str, Any]]]:
    kept = [*chart.get("datasets", {}).values()]
    kept += [part["data"]["values"] for part in inside(chart) if "values" in part.get("data", {})]
    return [rows for rows in kept if rows]
