"""Answers of studies grow: one machine adds the cells of its models to those that another has trained.

A cache is gone with its machine. What is stored beside a page stays, until models that are as many, or
all that the study asks for, say it anew.
"""

import io
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from attex.claims.numbers import BASE
from attex.foundations.progress import say
from attex.report.study_page import Part
from attex.studies.study import Answer
from results.at_hand import Asked, AtHand
from results.stored import OfCell, OfPart, Stored
from results.study_numbers import CELL
from results.study_page import rounded, write_charts

_DRAWN = 4
"""As many figures of each part are kept."""

Charts = Mapping[str, dict[str, Any]]
"""Vega-Lite, by name."""

Names = Mapping[str, Collection[str]]
"""By cell, what its rows are called in a table."""


@dataclass(frozen=True)
class Said:
    """What a study says of the models at hand: its answer, if the page tells it, and their numbers.

    The numbers are rows in the words of the ledger.
    """

    about: AtHand
    answer: Answer | None
    numbers: Sequence[Mapping[str, Any]]


class Answers:
    """What is stored of a study, and where the cells of this machine go.

    `asked` has all that the answer can be about, in order; what is stored of anything else goes.
    `overview` makes of the tables of all cells the charts that compare them.
    """

    def __init__(
        self,
        folder: Path,
        study: str,
        numbers: Path,
        asked: Mapping[str, Asked],
        overview: Callable[[Mapping[str, pl.DataFrame]], Charts],
    ) -> None:
        self.folder, self.study, self._numbers, self._asked = folder, study, numbers, asked
        self._overview = overview
        self._before = Stored.read(folder, study)
        self._cells = {one.cell: one for one in self._before.cells if self._is_asked_for(one)}

    def takes(self, here: AtHand) -> bool:
        """Say whether models at hand are as many as the stored ones, or all that are asked for."""
        stored = self._cells.get(here.cell)
        return stored is None or here.models >= min(stored.models, here.asked)

    def write(self, said: Sequence[Said]) -> list[str]:
        """Put in what is said; return the names of the cells that stay as another machine had them."""
        new = {one.about.cell: one for one in said}
        kept = {name: self._as_stored(name) for name in self._asked if name not in new}
        tables = self._write_tables(new, {name: [name] for name, cell in kept.items() if cell.models})
        self._write_numbers(new, {name: cell.numbers for name, cell in kept.items()})
        overview = self._called(self._overview(tables)) if tables else {}
        parts = self._parts(new, kept, overview)
        shown = {figure for part in parts for figure in part.figures}
        self._draw(new.values(), shown, overview)
        cells = [kept.get(name) or self._of_cell(new[name], shown) for name in self._asked]
        Stored(cells, parts).write(self.folder, self.study)
        return [name for name, cell in kept.items() if cell.models]

    def _is_asked_for(self, stored: OfCell) -> bool:
        """Say whether the study asks for what a cell rests on, and tell if it asks for other models."""
        still = stored.cell in self._asked and stored.is_asked_for(self._asked[stored.cell].keys)
        if not still and stored.models:
            say(f"{self.study}, {stored.cell}: what was said of models that are not asked for goes")
        return still

    def _as_stored(self, name: str) -> OfCell:
        asked, stored = self._asked[name], self._cells.get(name)
        if stored is None:
            return OfCell(name, 0, asked.models)
        # The study may ask for more by now; where it asks for fewer, more are still there.
        wanted = stored.asked if asked.keys is None else max(asked.models, stored.models)
        return replace(stored, asked=wanted)

    def _of_cell(self, one: Said, shown: Collection[str]) -> OfCell:
        parts = _parts_of(one)
        return OfCell(
            one.about.cell,
            one.about.models,
            one.about.asked,
            [*dict.fromkeys(" ".join(str(row[name]) for name in CELL) for row in one.numbers)],
            {part.title: list(part.sentences) for part in parts},
            [figure for part in parts for figure in self._figures(part) if figure in shown],
            " ".join(one.about.keys),
        )

    def _write_tables(self, new: Mapping[str, Said], kept: Names) -> dict[str, pl.DataFrame]:
        """Write the tables of all cells, and return them as they can be read."""
        tables: dict[str, dict[str, pl.DataFrame]] = {}
        for name, one in new.items():
            for part in _parts_of(one):
                for path, table in part.tables.items():
                    tables.setdefault(path.removeprefix("tables/"), {})[name] = table
        written = {}
        for path, of_cells in tables.items():
            # Two studies of a paper may be of the same kind.
            place = self.folder / f"{self.study}_{path}.csv"
            self._joined(place, of_cells, kept).write_csv(place)
            written[f"tables/{path}"] = pl.read_csv(place, infer_schema_length=None)
        return written

    def _write_numbers(self, new: Mapping[str, Said], kept: Names) -> None:
        rows = {
            name: pl.DataFrame(one.numbers, infer_schema_length=None)
            for name, one in new.items()
            if one.numbers
        }
        table = self._joined(self._numbers, rows, kept)
        self._numbers.unlink(missing_ok=True)
        if not table.is_empty():
            # Cells may share a model, as the one with even weights.
            about = [name for name in table.columns if name != "value"]
            table = table.unique(about, keep="first", maintain_order=True)
            table = table.sort(pl.col("setting") != BASE, maintain_order=True)
            table.write_csv(self._numbers)

    def _joined(self, path: Path, new: Mapping[str, pl.DataFrame], kept: Names) -> pl.DataFrame:
        """Join new rows and those of a table that are of kept cells, in the order of the cells.

        All are words, so that what is kept is written as it was. Rows that name no cell are what cells
        share: each is there once.
        """
        rows = {name: _words(rounded(table).write_csv()) for name, table in new.items() if table.width}
        old = _words(path.read_text(encoding="utf-8")) if path.exists() else pl.DataFrame()
        if any(table.width and not {*CELL} <= {*table.columns} for table in (old, *rows.values())):
            return pl.concat([old, *rows.values()], how="diagonal").unique(maintain_order=True)
        if old.width:
            called = pl.concat_str([pl.col(name).fill_null("") for name in CELL], separator=" ")
            rows |= {name: old.filter(called.is_in([*names])) for name, names in kept.items()}
        there = [rows[name] for name in self._asked if name in rows]
        return pl.concat(there, how="diagonal") if there else pl.DataFrame()

    def _parts(
        self, new: Mapping[str, Said], kept: Mapping[str, OfCell], overview: Charts
    ) -> list[OfPart]:
        """Join the parts of all cells by their titles; explanations are those of today."""
        parts = [(name, part) for name, one in new.items() for part in _parts_of(one)]
        stored = {part.title: part for part in self._before.parts}
        titles = {part.title: part.explanation for _, part in parts}
        told = [title for cell in kept.values() for title in cell.sentences if title in stored]
        titles = {title: stored[title].explanation for title in told} | titles
        whose = {figure: cell.cell for cell in kept.values() for figure in cell.figures}
        joined = []
        for title, explanation in titles.items():
            drawn = {
                figure: (name, caption)
                for name, part in parts
                if part.title == title
                for figure, caption in self._figures(part).items()
            }
            before = stored[title].figures if title in stored else {}
            drawn |= {f: (whose[f], caption) for f, caption in before.items() if f in whose}
            # What compares cells comes first, and has a place of its own.
            figures = [figure for figure in drawn if figure in overview]
            of_cells = {figure: own for figure, own in drawn.items() if figure not in overview}
            figures += self._in_order(of_cells, [figure for figure in before if figure in of_cells])
            # What is written below it is about all cells, too.
            captions = {
                f: _caption(overview[f], title) if f in overview else drawn[f][1] for f in figures
            }
            joined.append(OfPart(title, explanation, captions))
        return joined

    def _in_order(self, drawn: Mapping[str, tuple[str, str]], before: Sequence[str]) -> list[str]:
        """Add figures to those that are there while there is room, each where its cell comes."""
        place = {name: number for number, name in enumerate(self._asked)}
        figures = [*before]
        for figure in (f for f in drawn if f not in before):
            if len(figures) < _DRAWN:
                own, others = place[drawn[figure][0]], [place[drawn[f][0]] for f in figures]
                later = (at for at, other in enumerate(others) if other > own)
                figures.insert(next(later, len(figures)), figure)
        return figures

    def _draw(self, said: Iterable[Said], shown: Collection[str], overview: Charts) -> None:
        """Draw what is shown of this machine's cells, and of all; remove what is shown no more."""
        charts: dict[str, dict[str, Any]] = {}
        for one in said:
            for part in _parts_of(one):
                charts |= self._called(part.charts)
        charts |= overview
        write_charts(self.folder, {name: chart for name, chart in charts.items() if name in shown})
        for figure in {f for part in self._before.parts for f in part.figures} - {*shown}:
            (self.folder / f"{figure}.svg").unlink(missing_ok=True)

    def _called(self, charts: Charts) -> dict[str, dict[str, Any]]:
        """Call charts as their files are: another study of the page may have some of the same name."""
        return {f"{self.study}_{name}": chart for name, chart in charts.items()}

    def _figures(self, part: Part) -> dict[str, str]:
        """Name the first figures of a part, with what is written below each."""
        return {
            f"{self.study}_{name}": _caption(part.charts[name], part.title)
            for name in [*part.charts][:_DRAWN]
        }


def _parts_of(one: Said) -> Sequence[Part]:
    return () if one.answer is None else one.answer.parts


def _caption(chart: Mapping[str, Any], title: str) -> str:
    """Return what is written below a chart: its own words or, if it has none, the title of its part."""
    return str(chart.get("description", title))


def _words(text: str) -> pl.DataFrame:
    return pl.read_csv(io.StringIO(text), infer_schema_length=0)
