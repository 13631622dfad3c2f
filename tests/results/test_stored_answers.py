"""What is stored of a study grows cell by cell; answers are made by hand here."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from results import answers
from results.answers import Answers, Said
from results.at_hand import Asked, AtHand
from results.stored import Stored
from results.told import told

from attex.report.study_page import Part
from attex.studies.run_set import RunSet
from attex.studies.study import Answer

STUDY = "some"
CELLS = tuple(f"{data} lstm tanh softmax" for data in ("20news", "imdb", "sst"))
CHART: dict[str, Any] = {"mark": "point", "data": {"values": [{}]}, "description": "A dot."}


def row(cell: str, **others: Any) -> dict[str, Any]:
    """Return a row of the table of numbers."""
    about = dict(zip(("dataset", "encoder", "attention", "projection"), cell.split(), strict=True))
    number = {"setting": "as published", "seed": 0, "quantity": "accuracy", "class": "overall"}
    return about | number | {"value": 0.5} | others


def said(
    cell: str,
    models: int,
    asked: int = 9,
    numbers: Sequence[dict[str, Any]] = (),
    figures: Sequence[str] = (),
    tells: bool = True,
) -> Said:
    """Say something of a cell: how many models it rests on."""
    table = pl.DataFrame([row(cell, value=float(models))])
    part = Part(
        "What is it?",
        "Explained once.",
        [f"{cell}: {models} models say so."],
        {"tables/kind": table},
        dict.fromkeys(figures, CHART),
    )
    answer = Answer([], [part], []) if tells else None
    return Said(AtHand(cell, keys(cell)[:models], asked, RunSet({}, ()), [], []), answer, numbers)


def keys(cell: str) -> list[str]:
    """Return more keys of models than any study here asks for."""
    return [f"{cell.split()[0]}-{number}" for number in range(99)]


def write(folder: Path, *new: Said, **asked: int) -> str:
    """Put in what is taken; `asked` is by dataset how many models are asked for, else nine."""
    wanted = {cell: Asked(asked.get(cell.split()[0], 9), keys(cell)) for cell in CELLS}
    return put(folder, wanted, *new)


def overview(tables: Mapping[str, pl.DataFrame]) -> dict[str, dict[str, Any]]:
    """Draw the values of all cells in one chart."""
    values = tables["tables/kind"]["value"].to_list()
    caption = f"{len(values)} dots."
    data = {"values": [{"value": value} for value in values]}
    return {"all": CHART | {"data": data, "description": caption}}


def put(folder: Path, wanted: dict[str, Asked], *new: Said) -> str:
    stored = Answers(folder, STUDY, folder / "numbers.csv", wanted, overview)
    stored.write([one for one in new if stored.takes(one.about)])
    return told(folder, STUDY)


def table(folder: Path, name: str) -> list[tuple[Any, ...]]:
    """Return the datasets and values of a table."""
    return pl.read_csv(folder / f"{name}.csv").select("dataset", "value").rows()


def test_cells_stand_side_by_side_in_the_order_of_the_study(tmp_path: Path) -> None:
    news, imdb, sst = CELLS
    write(tmp_path, said(sst, 9))
    page = write(tmp_path, said(news, 8))
    assert page.startswith("17 of 27 models; the others are not trained yet, and what needs them is")
    (told_once,) = page.split("**What is it?** Explained once.\n\n")[1:]
    assert told_once == f"- {news}: 8 models say so.\n- {sst}: 9 models say so."
    assert table(tmp_path, "some_kind") == [("20news", 8), ("sst", 9)]
    assert [(one.cell, one.models) for one in Stored.read(tmp_path, STUDY).cells] == [
        *((news, 8), (imdb, 0), (sst, 9))
    ]
    assert write(tmp_path, said(imdb, 9), said(news, 9)).startswith("27 models (")


def test_a_cell_is_not_replaced_by_one_of_fewer_models_unless_these_are_all(tmp_path: Path) -> None:
    news, _, sst = CELLS
    write(tmp_path, said(news, 8), said(sst, 5))
    assert f"{news}: 8 models" in write(tmp_path, said(news, 7))
    assert f"{news}: 8 models" in write(tmp_path, said(news, 8))
    page = write(tmp_path, said(news, 4, asked=4), **{"20news": 4})
    assert f"{news}: 4 models" in page
    assert f"{sst}: 5 models" in page, "what another machine says of another cell stays"
    assert table(tmp_path, "some_kind") == [("20news", 4), ("sst", 5)]


def test_how_many_are_asked_for_is_what_the_study_says_now(tmp_path: Path) -> None:
    news, imdb, sst = CELLS
    write(tmp_path, said(news, 9))
    assert write(tmp_path, said(sst, 9), **{"20news": 12}).startswith("18 of 30 models")
    assert write(tmp_path, said(sst, 9), **{"20news": 4}).startswith("18 of 27 models")
    # Without its data only the settings and seeds of a cell are known, which may share models.
    at_most = {news: Asked(99), imdb: Asked(20), sst: Asked(9, keys(sst))}
    assert put(tmp_path, at_most, said(sst, 9)).startswith("18 of 27 models")


def test_the_table_of_numbers_has_the_rows_of_all_cells(tmp_path: Path) -> None:
    news, _, sst = CELLS
    swapped = {"setting": "another, swapped", "value": 0.1}
    # What cells share is called otherwise than they are, and is there once.
    even = row("20news lstm tanh uniform")
    write(tmp_path, said(sst, 9, numbers=[row(sst, value=0.3), row(sst, **swapped), even]))
    write(tmp_path, said(news, 9, numbers=[row(news), row(news, **swapped), even]))
    write(tmp_path, said(news, 9, numbers=[row(news, value=0.7), row(news, **swapped), even]))
    assert pl.read_csv(tmp_path / "numbers.csv").rows() == [
        *(tuple(one.values()) for one in (row(news, value=0.7), even, row(sst, value=0.3))),
        *(tuple(row(cell, **swapped).values()) for cell in (news, sst)),
    ]
    write(tmp_path, said(news, 9))
    assert table(tmp_path, "numbers") == [("20news", 0.5), ("sst", 0.3), ("sst", 0.1)], "sst has it, too"


def test_numbers_that_no_page_tells_of_grow_as_well(tmp_path: Path) -> None:
    news, _, sst = CELLS
    write(tmp_path, said(sst, 9, numbers=[row(sst)], tells=False))
    write(
        tmp_path, said(sst, 8, numbers=[], tells=False), said(news, 3, numbers=[row(news)], tells=False)
    )
    assert table(tmp_path, "numbers") == [("20news", 0.5), ("sst", 0.5)]
    assert {path.name for path in tmp_path.iterdir()} == {"numbers.csv", f"{STUDY}.json"}


def test_what_the_study_has_no_more_goes_with_its_rows_and_figures(tmp_path: Path) -> None:
    news, _, sst = CELLS
    write(
        tmp_path,
        *(said(cell, 9, numbers=[row(cell)], figures=[cell.split()[0]]) for cell in (news, sst)),
    )
    page = put(
        tmp_path, {sst: Asked(9, keys(sst))}, said(sst, 9, numbers=[row(sst)], figures=["renamed"])
    )
    assert news not in page
    assert page.startswith("9 models (")
    assert table(tmp_path, "numbers") == [("sst", 0.5)]
    assert table(tmp_path, "some_kind") == [("sst", 9)]
    assert [path.name for path in tmp_path.glob("*.svg")] == ["some_renamed.svg"]


def test_figures_are_added_while_there_is_room(tmp_path: Path) -> None:
    news, imdb, sst = CELLS

    def shown() -> list[str]:
        (part,) = Stored.read(tmp_path, STUDY).parts
        assert {path.stem for path in tmp_path.glob("*.svg")} == part.figures.keys()
        return [figure.removeprefix("some_") for figure in part.figures]

    write(tmp_path, said(sst, 9, figures=["sst_a", "sst_b"]))
    page = write(tmp_path, said(news, 9, figures=["news"]))
    assert shown() == ["news", "sst_a", "sst_b"]
    assert page.endswith("![What is it?](some_sst_b.svg)\n\n*A dot.*")
    write(tmp_path, said(imdb, 9, figures=["imdb_a", "imdb_b"]))
    assert shown() == ["news", "imdb_a", "sst_a", "sst_b"]
    write(tmp_path, said(news, 9, figures=["other"]), said(sst, 9, figures=["sst_b", "sst_a"]))
    assert shown() == ["other", "imdb_a", "sst_a", "sst_b"], "what is there keeps its place"


def test_a_chart_of_all_cells_is_drawn_again_when_one_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[dict[str, Any]] = []
    monkeypatch.setattr(answers, "write_charts", lambda _, charts: drawn.append(charts))
    news, imdb, sst = CELLS
    write(tmp_path, said(sst, 9, figures=["all"]))
    write(tmp_path, said(news, 8, figures=["all", "news"]))
    page = write(tmp_path, said(imdb, 7))
    shown = [[one["value"] for one in charts["some_all"]["data"]["values"]] for charts in drawn]
    assert shown == [[9.0], [8.0, 9.0], [8.0, 7.0, 9.0]]
    assert [sorted(charts) for charts in drawn] == [
        ["some_all"],
        ["some_all", "some_news"],
        ["some_all"],
    ]
    (part,) = Stored.read(tmp_path, STUDY).parts
    assert [*part.figures] == ["some_all", "some_news"]
    assert part.figures == {"some_all": "3 dots.", "some_news": "A dot."}, (
        "not what one cell's has below"
    )
    assert "*3 dots.*" in page


def test_rows_that_cells_share_stand_once(tmp_path: Path) -> None:
    def shared(cell: str, *tests: str) -> Said:
        one = said(cell, 9)
        assert one.answer is not None
        (part,) = one.answer.parts
        table = pl.DataFrame({"test": tests, "about": [f"about {test}" for test in tests]})
        part = replace(part, tables=dict(part.tables) | {"tables/meaning": table})
        return replace(one, answer=Answer([], [part], []))

    news, imdb, sst = CELLS
    write(tmp_path, shared(sst, "truth", "erasure"), shared(imdb, "truth", "guide"))
    write(tmp_path, shared(news, "guide", "truth", "seeds"))
    tests = pl.read_csv(tmp_path / "some_meaning.csv")["test"].to_list()
    assert sorted(tests) == ["erasure", "guide", "seeds", "truth"]


def test_what_is_said_of_models_that_are_not_asked_for_goes(tmp_path: Path) -> None:
    news, imdb, sst = CELLS
    write(tmp_path, said(sst, 9, numbers=[row(sst)]), said(news, 9, numbers=[row(news)]))
    # The study asks for other models of SST now. Of 20News no data is here to say which it asks for.
    others = {news: Asked(9), imdb: Asked(9), sst: Asked(9, ["another"])}
    page = put(tmp_path, others, said(imdb, 9, numbers=[row(imdb)]))
    assert page.startswith("18 of 27 models")
    assert f"- {sst}" not in page
    assert [name for name, _ in table(tmp_path, "numbers")] == ["20news", "imdb"]
    assert [name for name, _ in table(tmp_path, "some_kind")] == ["20news", "imdb"]
    # What is asked for beside the models that are there does not matter.
    more = {cell: Asked(12, [*keys(cell)[:9], "one", "two", "three"]) for cell in CELLS}
    assert put(tmp_path, more).startswith("18 of 36 models")
