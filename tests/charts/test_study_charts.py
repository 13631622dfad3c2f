"""Charts of studies: what is drawn against counts by hand, and words against marks."""

import functools
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vl_convert
from caption_words import marks, misnamed, unnamed, words
from chart_data import all_rows_with, rows_with

from attex.charts.by_weight import by_weight_chart
from attex.charts.differences import differences_chart
from attex.charts.frontier import frontier_chart
from attex.charts.levels import levels_chart
from attex.charts.pictures import draw
from attex.charts.shares import CHOICE, HIGHER, PAIR, SEEDS, shares_chart
from attex.charts.specification_curve import specification_curve_chart
from attex.charts.use_of_attention import use_of_attention_chart
from attex.charts.verdicts import verdicts_by_level_chart, verdicts_chart
from attex.charts.within_settings import ATTENTION, CONTROL, within_settings_chart

CHOICES = {f"choice {i}": ("low", "middle", "high") for i in range(9)}
NAN = float("nan")
rng = np.random.default_rng(0)


def share_rows() -> list[dict[str, Any]]:
    terms = [(choice, CHOICE) for choice in CHOICES]
    terms += [(f"{a} × {b}", PAIR) for a, b in itertools.combinations(CHOICES, 2)]
    terms += [("higher", HIGHER), ("seeds", SEEDS)]
    shares = rng.normal(0.02, 0.03, len(terms))
    return [
        {"term": term, "kind": kind, "share": share, "low": share - 0.01, "high": share + 0.01}
        for (term, kind), share in zip(terms, shares.tolist(), strict=True)
    ]


def level_rows() -> list[dict[str, Any]]:
    return [
        {"choice": choice, "level": level, "mean": mean, "low": mean - 0.1, "high": mean + 0.1, "n": 81}
        for choice, levels in CHOICES.items()
        for level, mean in zip(levels, (0.1, 0.2, NAN), strict=True)
    ]


def verdict_rows(cells: int) -> list[dict[str, Any]]:
    return [
        {"conclusion": f"conclusion {c}", "cell": f"cell {i}", "holds": 5, "undecided": c, "reversed": i}
        for c in range(8)
        for i in range(cells)
    ]


def by_level() -> list[dict[str, Any]]:
    return [
        {"choice": choice, "level": level, "holds": 7, "undecided": 2, "reversed": 1, "undefined": 2}
        for choice, levels in CHOICES.items()
        for level in levels
    ]


def slope_rows() -> list[dict[str, Any]]:
    slopes = {("planted", ATTENTION): (0.3, 0.2, 0.4), ("planted", CONTROL): (0.0, -0.1, 0.1)}
    slopes |= {("movies", ATTENTION): (0.2, 0.05, 0.4), ("movies", CONTROL): (0.1, 0.0, 0.2)}
    slopes |= {("wiki", ATTENTION): (0.1, -0.1, 0.3), ("wiki", CONTROL): (NAN, NAN, NAN)}
    return [
        {"dataset": dataset, "outcome": outcome, "of": of, "slope": slope, "low": low, "high": high}
        | {"n": 54}
        for outcome in ("truth", "comprehensiveness")
        for (dataset, of), (slope, low, high) in slopes.items()
    ]


def difference_rows(*runs: str) -> list[dict[str, Any]]:
    numbers = {"accuracy": (0.1, 0.0, 0.2), "auc": (0.3, NAN, NAN), "tau": (NAN, NAN, NAN)}
    return [
        {"run": run, "quantity": quantity, "difference": difference, "low": low, "high": high}
        for run in runs
        for quantity, (difference, low, high) in numbers.items()
    ]


def curve(count: int, judged: bool) -> dict[str, Any]:
    values = rng.normal(size=count)
    levels = rng.integers(0, 3, (count, len(CHOICES)))
    verdicts = np.where(values > 0, "holds", "undecided").tolist() if judged else None
    ends = values - 0.1, values + 0.1
    return specification_curve_chart(values, *ends, levels, CHOICES, "T", "t", verdicts, {"zero": 0.0})


def frontier_points() -> list[dict[str, Any]]:
    ends = {"jsd_low": 0.1, "jsd_high": 0.4, "tvd_low": NAN, "tvd_high": NAN}
    places = [("adversary", 0.1, 0.2), ("adversary", 1.0, 0.3), ("another seed", None, NAN)]
    return [
        {"kind": kind, "name": kind, "order": order, "jsd": jsd, "tvd": 0.05} | ends
        for kind, order, jsd in places
    ]


def use_points() -> list[dict[str, Any]]:
    ends = {"jsd_low": 0.1, "jsd_high": 0.4, "lost_low": NAN, "lost_high": NAN}
    return [
        {"name": "a model", "version": version, "lost": 0.02, "jsd": jsd} | ends
        for version, jsd in (("trained", 0.3), ("put in", NAN))
    ]


def weight_rows() -> list[dict[str, Any]]:
    numbers = {"median": 0.2, "q25": 0.1, "q75": 0.3, "texts": 12.0}
    rows = [
        {"class": c, "highest_weight": b} | numbers for c in ("no", "yes") for b in ("0–0.5", "0.5–1")
    ]
    return [*rows[:3], rows[3] | dict.fromkeys(numbers, NAN)]


CHARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "shares": lambda: shares_chart(share_rows(), "Shares"),
    "levels": lambda: levels_chart(level_rows(), CHOICES, "Levels", "τ", 0.15),
    "verdicts of one cell": lambda: verdicts_chart(verdict_rows(1), "Verdicts"),
    "verdicts of four cells": lambda: verdicts_chart(verdict_rows(4), "Verdicts"),
    "verdicts of 48 cells": lambda: verdicts_chart(verdict_rows(48), "Verdicts"),
    "by level": lambda: verdicts_by_level_chart(by_level(), CHOICES, "By level"),
    "within settings": lambda: within_settings_chart(slope_rows(), "Slopes"),
    "differences of one run": lambda: differences_chart(difference_rows("longer"), "Differences"),
    "differences of two runs": lambda: differences_chart(difference_rows("longer", "wide"), "Both"),
    "frontier": lambda: frontier_chart(frontier_points(), "Frontier", [(0.0, 0.4), (0.1, 0.6)]),
    "frontier without a curve": lambda: frontier_chart(frontier_points()[2:], "Points"),
    "use of attention": lambda: use_of_attention_chart(use_points(), "Use"),
    "by weight": lambda: by_weight_chart(weight_rows(), "Seeds", "JSD"),
    "curve": lambda: curve(30, False),
    "judged curve": lambda: curve(30, True),
    "binned curve": lambda: curve(2_500, False),
    "judged binned curve": lambda: curve(2_500, True),
}


@functools.cache
def chart_of(name: str) -> dict[str, Any]:
    return CHARTS[name]()


@pytest.mark.parametrize("name", CHARTS)
def test_words_name_the_marks_that_are_drawn_and_all_of_them(name: str) -> None:
    chart = chart_of(name)
    for text in words(chart):
        assert not misnamed(text, marks(chart)), text
    assert not unnamed(chart["description"], marks(chart))


def test_shares_are_sorted_and_what_is_left_of_the_pairs_is_added_up() -> None:
    rows = share_rows()
    drawn = rows_with(shares_chart(rows, "Shares"), "share")
    shares = [row["share"] for row in drawn]
    assert shares == sorted(shares, reverse=True)
    assert min(shares) < 0
    assert sum(shares) == pytest.approx(sum(row["share"] for row in rows), abs=1e-4)
    own = {row["term"] for row in drawn if row["kind"] == PAIR} - {"26 other pairs, added up"}
    pairs = sorted((row for row in rows if row["kind"] == PAIR), key=lambda row: row["share"])
    assert own == {row["term"] for row in pairs[-10:]}


def test_an_undefined_share_comes_last_and_says_so() -> None:
    rows = [
        {"term": t, "kind": CHOICE, "share": s, "low": s, "high": s} for t, s in (("a", NAN), ("b", 0.1))
    ]
    chart = shares_chart(rows, "Shares")
    assert [(row["term"], row["share"]) for row in rows_with(chart, "share")] == [
        ("b", 0.1),
        ("a (undefined)", None),
    ]
    assert ">a (undefined)</text>" in vl_convert.vegalite_to_svg(json.dumps(chart))


def test_every_level_has_its_row_below_its_choice_and_a_dot_if_it_has_a_mean() -> None:
    for row in rows_with(chart_of("levels"), "mean"):
        choice, level = list(CHOICES).index(row["choice"]), CHOICES[row["choice"]].index(row["level"])
        assert row["row"] == 4 * choice + 1 + level
    svg = vl_convert.vegalite_to_svg(json.dumps(chart_of("levels")))
    (dots,) = re.findall(r'<g class="mark-symbol role-mark [^>]*>(.*?)</g>', svg, re.DOTALL)
    assert dots.count("<path") == 9 * 2


def test_runs_are_drawn_beside_each_other_and_what_is_undefined_is_not() -> None:
    (one, *_), two = (
        rows_with(chart_of(f"differences of {runs}"), "difference") for runs in ("one run", "two runs")
    )
    assert one == {"row": "accuracy", "run": "longer", "difference": 0.1, "low": 0, "high": 0.2}
    assert [row["row"] for row in two] == [
        "accuracy, longer",
        "accuracy, wide",
        "auc, longer",
        "auc, wide",
    ]
    svg = vl_convert.vegalite_to_svg(json.dumps(chart_of("differences of two runs")))
    assert ">accuracy, wide</text>" in svg


@pytest.mark.parametrize("cells", [1, 4, 48])
def test_the_parts_of_a_bar_are_as_long_as_their_shares(cells: int) -> None:
    rows = verdict_rows(cells)
    chart = verdicts_chart(rows, "Verdicts")
    drawn = all_rows_with(chart, "verdict")
    assert len(drawn) == 3 * len(rows)
    counted: dict[tuple[int, int], int] = {}
    for part in drawn:
        length = part["end"] - part["start"]
        assert length == pytest.approx(part["universes"] / part["of"], abs=1e-4)
        key = part["universes"], part["of"]
        counted[key] = counted.get(key, 0) + 1
    expected: dict[tuple[int, int], int] = {}
    for row in rows:
        for verdict in ("holds", "undecided", "reversed"):
            key = row[verdict], row["holds"] + row["undecided"] + row["reversed"]
            expected[key] = expected.get(key, 0) + 1
    assert counted == expected


def test_what_has_no_value_is_counted_once() -> None:
    # Nine choices of three levels, each with two undefined universes of the same six.
    assert chart_of("by level")["description"].endswith("Left out for want of a value: 6.")
    assert "Left out" not in chart_of("verdicts of 48 cells")["description"]


def test_the_figure_counts_slopes_above_0_and_above_the_control() -> None:
    subtitle = chart_of("within settings")["title"]["subtitle"]
    assert subtitle == "Slope above 0 in 4 of 6 cases, and above all of the control's interval in 2"


def test_a_model_without_an_equal_adversary_is_named_and_names_stay_inside() -> None:
    ends = dict.fromkeys(("jsd_low", "jsd_high", "lost_low", "lost_high"), NAN)
    places = {"a long name on the left": (0.0, 0.5), "a long name on the right": (0.1, 0.2)}
    points = [
        {"name": name, "version": "trained", "lost": lost, "jsd": jsd} | ends
        for name, (lost, jsd) in {**places, "bound": (0.05, NAN)}.items()
    ]
    chart = use_of_attention_chart(points, "Use", ["bound"])
    assert chart["description"].endswith("Without a dot, as no adversary decides as well: bound.")
    svg = vl_convert.vegalite_to_svg(json.dumps(chart))
    for name, anchor in zip(places, ("start", "end"), strict=True):
        assert re.search(rf'text-anchor="{anchor}"[^>]*>{name}<', svg)
    assert ">bound<" not in svg


def test_charts_are_drawn_as_three_kinds_of_picture(tmp_path: Path) -> None:
    draw({"slopes": chart_of("within settings")}, tmp_path)
    assert (tmp_path / "slopes.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "slopes.pdf").read_bytes().startswith(b"%PDF")
    assert "rise for one standard deviation" in (tmp_path / "slopes.svg").read_text(encoding="utf-8")
