"""The page of a study: names are text, tables are cut and say where the rest is, nothing is loaded."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from attex.charts.specification_curve import specification_curve_chart
from attex.report.study_page import Part, render_study

EVIL = "<script>alert(1)</script>"
CHOICES = {f"rate {EVIL}": ("low", "</script><img src=x>"), "width": ("1", "2")}


def curve(title: str) -> dict[str, Any]:
    values, levels = np.arange(4.0), np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    return specification_curve_chart(values, values - 1, values + 1, levels, CHOICES, title, "value")


def rendered(parts: list[Part], kept_in: Path, lead: tuple[str, ...] = ("Short.",)) -> str:
    manifest = {"attex": "0.1.0", "left_out": {f"cell {EVIL}": f"no text {EVIL}"}}
    config = {"study": "multiverse", "choices": CHOICES}
    return render_study(f"Study {EVIL}", lead, parts, config, manifest, kept_in, ["4 models"])


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    numbers = pl.DataFrame(
        {
            f"col {EVIL}": [EVIL, "x"] * 972,
            "value": [i / 7 for i in range(1944)],
            "dataset": f"data {EVIL}",
            "p_value": float("nan"),
        }
    )
    few = pl.DataFrame({"term": [f"t{i}" for i in range(3)], "share": [0.1, -0.2, float("nan")]})
    charts = {f"curve_{i}": curve(f"Curve {i} {EVIL}") for i in range(6)}
    parts = [
        Part(f"Shares {EVIL}", f"About {EVIL}", [f"Said {EVIL}"], {"tables/shares": few}, charts),
        Part("Numbers", "All of them.", [], {"tables/numbers": numbers}),
    ]
    return rendered(parts, tmp_path_factory.mktemp("kept"), (f"In short {EVIL}.",))


def body(page: str) -> str:
    """The page less its own style and scripts."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)


def test_every_name_is_escaped(page: str) -> None:
    assert EVIL not in page
    assert "<img" not in body(page)
    escaped = "&lt;script&gt;alert(1)&lt;/script&gt;"
    for words in ("Study", "In short", "Shares", "About", "Said", "col", "no text", "cell", "data"):
        assert f"{words} {escaped}" in page


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    assert not re.findall(r"<(?:link|img|iframe)\b", body(page))
    assert not re.findall(r"""<[^>]*\b(?:src|href)=["'](?!#)""", body(page))
    assert not re.findall(r"<script[^>]*\bsrc=", page)
    assert "http" not in body(page)
    assert "@import" not in page.partition("</style>")[0]


def test_the_charts_come_out_as_they_went_in(page: str) -> None:
    data = re.search(r'<script type="application/json" id="charts">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1]) == {f"curve_{i}": curve(f"Curve {i} {EVIL}") for i in range(6)}


def test_of_many_charts_the_first_are_shown_at_once(page: str) -> None:
    folded = re.findall(r"<details><summary>2 more charts</summary>(.*?)</details>", page, re.DOTALL)
    assert len(folded) == 1
    assert re.findall('data-chart="([^"]+)"', folded[0]) == ["curve_4", "curve_5"]
    assert len(re.findall('data-chart="', body(page))) == 6


def test_a_large_table_is_cut_and_says_where_the_rest_is(page: str) -> None:
    large = page[page.index("Numbers (1,944 rows)") :].partition("</details>")[0]
    assert large.count("<tr>") == 100 + 1
    assert "The first 100 of 1,944 rows; all are in tables/numbers.csv." in large
    assert "The same in all rows: dataset: data &lt;script" in large
    assert "p value: undefined." in large
    assert len(re.findall(r"<th\b", large)) == 2
    small = page[page.index('id="part-1"') : page.index('id="part-2"')]
    assert small.count("<tr>") == 3 + 1
    assert "−0.200" in small
    assert "undefined" in small


def test_parts_can_be_reached_from_the_top(page: str) -> None:
    targets = re.findall(r'<a href="#([^"]+)"', page)
    assert targets == ["part-1", "part-2"]
    assert all(f'id="{target}"' in page for target in targets)


def test_two_charts_of_the_same_name_are_refused(tmp_path: Path) -> None:
    parts = [Part(title, "", charts={"curve": curve(title)}) for title in ("a", "b")]
    with pytest.raises(ValueError, match="called curve"):
        rendered(parts, tmp_path)


def test_a_study_without_charts_carries_no_program(tmp_path: Path) -> None:
    assert "<script" not in rendered([Part("Nothing", "Nothing came of it.")], tmp_path)
