"""The specification curve against sorting, counting and averaging by NumPy, and its file's size."""

import json
import re
from typing import Any

import numpy as np
import pytest
import vl_convert
from chart_data import rows_with

from attex.charts.binned_curve import BINS
from attex.charts.specification_curve import MOST, specification_curve_chart
from attex.charts.style import VERDICTS

CHOICES = {"rate": ("low", "middle", "high"), "width": ("32", "64"), "kind": ("a", "b", "c")}


def some(count: int, choices: dict[str, tuple[str, ...]] = CHOICES) -> tuple[np.ndarray, ...]:
    """Values, ends of intervals and levels."""
    rng = np.random.default_rng(count)
    values, width = rng.normal(size=count), rng.random(count)
    levels = np.stack([rng.integers(0, len(names), count) for names in choices.values()], axis=1)
    return values, values - width, values + width, levels


def judged(low: np.ndarray, high: np.ndarray) -> list[str]:
    holds, undecided, reverse = VERDICTS
    return np.where(low > 0, holds, np.where(high < 0, reverse, undecided)).tolist()


def test_universes_are_sorted_with_their_intervals_and_verdicts() -> None:
    values, low, high, levels = some(50)
    verdicts = judged(low, high)
    chart = specification_curve_chart(values, low, high, levels, CHOICES, "T", "t", verdicts)
    drawn = rows_with(chart, "rank")
    order = np.argsort(values)
    assert [row["rank"] for row in drawn] == list(range(1, 51))
    for name, expected in (("value", values), ("low", low), ("high", high)):
        np.testing.assert_allclose([row[name] for row in drawn], expected[order], rtol=1e-4)
    assert [row["verdict"] for row in drawn] == [verdicts[i] for i in order]


def test_the_matrix_has_a_tick_for_every_universe_and_choice_in_its_row() -> None:
    values, low, high, levels = some(20)
    chart = specification_curve_chart(values, low, high, levels, CHOICES, "T", "t")
    labels = [label for choice, names in CHOICES.items() for label in (choice, *names)]
    order = np.argsort(values)
    drawn = [row["rows"] for row in rows_with(chart, "rows")]
    expected = [
        [list(CHOICES[choice])[level] for choice, level in zip(CHOICES, levels[i], strict=True)]
        for i in order
    ]
    assert [[labels[row] for row in universe] for universe in drawn] == expected
    # As drawn: 20 universes of 3 choices are 60 ticks, each where its universe's dot is.
    dots, ticks = positions(chart, "symbol"), positions(chart, "rect")
    assert len(ticks) == 20 * 3
    assert sorted(set(ticks)) == pytest.approx(sorted(dots), abs=0.6)


def positions(chart: dict[str, Any], kind: str) -> list[float]:
    """Where, from left to right, the marks of a kind are in the finished picture."""
    svg = vl_convert.vegalite_to_svg(json.dumps(chart))
    (group,) = re.findall(rf'<g class="mark-{kind} role-mark concat_[^>]*>(.*?)</g>', svg, re.DOTALL)
    found = []
    for path in re.findall(r"<path[^>]*>", group):
        shifted = re.search(r'transform="translate\(([-\d.]+)', path)
        start = re.search(r'\bd="M([-\d.]+),[-\d.]+h([-\d.]+)', path)
        if shifted is not None:
            found.append(float(shifted[1]))
        elif start is not None:
            found.append(float(start[1]) + float(start[2]) / 2)
    return found


def test_a_choice_that_a_universe_does_not_have_leaves_no_tick() -> None:
    values, low, high, levels = some(20)
    levels[levels[:, 0] == 0, 2] = -1
    chart = specification_curve_chart(values, low, high, levels, CHOICES, "T", "t")
    assert len(positions(chart, "rect")) == int((levels >= 0).sum())


def test_what_has_no_value_is_counted() -> None:
    values, low, high, levels = some(20)
    values[[3, 7]] = np.nan
    low[5] = np.nan
    chart = specification_curve_chart(values, low, high, levels, CHOICES, "T", "t")
    assert len(rows_with(chart, "rank")) == 18
    assert "2 of 20 universes" in chart["description"]
    assert len(positions(chart, "symbol")) == 18


def test_a_published_value_is_a_line_with_its_name() -> None:
    values, low, high, levels = some(20)
    lines = {"published: 0.35": 0.35}
    chart = specification_curve_chart(values, low, high, levels, CHOICES, "T", "t", lines=lines)
    assert rows_with(chart, "at") == [{"name": "published: 0.35", "at": 0.35}]
    assert "published: 0.35" in vl_convert.vegalite_to_svg(json.dumps(chart))


def test_above_two_thousand_universes_are_drawn_in_bins() -> None:
    count = MOST + 137
    values, low, high, levels = some(count)
    verdicts = np.array(judged(low, high))
    chart = specification_curve_chart(values, low, high, levels, CHOICES, "T", "t", verdicts.tolist())
    bins = np.array_split(np.argsort(values), BINS)
    curve = rows_with(chart, "median")
    assert [row["universes"] for row in curve] == [len(members) for members in bins]
    for name, of, quantile in (
        ("median", values, 0.5),
        ("lowest", values, 0.05),
        ("highest", values, 0.95),
        ("low", low, 0.5),
        ("high", high, 0.5),
    ):
        expected = [np.quantile(of[members], quantile) for members in bins]
        np.testing.assert_allclose([row[name] for row in curve], expected, rtol=1e-4)
    shade = {(row["from"], row["row"]): row["share"] for row in rows_with(chart, "row")}
    starts = sorted({start for start, _ in shade})
    rows = {"rate": [1, 2, 3], "width": [5, 6], "kind": [8, 9, 10]}
    assert {row for _, row in shade} == {row for some_rows in rows.values() for row in some_rows}
    for start, members in zip(starts, bins, strict=True):
        for f, numbers in enumerate(rows.values()):
            for level, row in enumerate(numbers):
                assert shade[start, row] == pytest.approx(np.mean(levels[members, f] == level), abs=1e-3)
    strip = rows_with(chart, "verdict")
    holding = sum(row["share"] * row["universes"] for row in strip if row["verdict"] == "holds")
    assert holding == pytest.approx((verdicts == "holds").sum(), rel=1e-3)


@pytest.mark.parametrize("count", [4, MOST, 10_000])
def test_the_specification_stays_small(count: int) -> None:
    choices = {f"trainer.choice_{i}": ("first level", "second level", "third level") for i in range(11)}
    values, low, high, levels = some(count, choices)
    verdicts = judged(low, high)
    chart = specification_curve_chart(values, low, high, levels, choices, "T", "t", verdicts)
    assert len(json.dumps(chart)) < 1_000_000


def test_a_name_is_no_code() -> None:
    evil = {"a'];alert(1);[": ('"];alert(2);["', "\\", "</script><!--", "\u2028"), "<b>": ("x", "y")}
    values, low, high, levels = some(10, evil)
    chart = specification_curve_chart(values, low, high, levels, evil, "T", "t")
    svg = vl_convert.vegalite_to_svg(json.dumps(chart))
    assert "a'];alert(1);[" in svg.replace("&apos;", "'").replace("&#39;", "'")
    assert "&lt;/script&gt;" in svg
    assert "<b>" not in svg
