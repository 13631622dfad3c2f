"""Write results/NAME: the models of a paper's study, and its published numbers beside them.

python -m results.papers jain_wallace_2019 --device cuda --jobs 14

Trains what the cache of the output folder does not hold. With --at-hand it trains nothing: tables keep
the models that they had, and gain those in the cache; what a study says of a cell stays as it is where
it rests on more models than the cache has. `attex claims` then judges all published numbers.
"""

import argparse
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from attex.claims.ledger import published
from attex.claims.page import cause_table, chance_sentence
from attex.data.folder import DataFolder
from attex.foundations.errors import MissingData
from attex.foundations.progress import say
from attex.runner.workspace import Workspace
from attex.studies.gathering import gathered
from attex.studies.ledger_words import PRINTED
from attex.studies.models import Models
from attex.studies.study import Study
from results import pairs
from results.all_tests import all_tests
from results.answers import Answers, Said
from results.at_hand import AtHand, asked_for, at_hand
from results.by_seed import built_in, ceiling, chance, mean_of_all
from results.changes import change_rows, counted, write_changes
from results.curves import curves
from results.directions import directions
from results.dropped_words import TABLE as DERIVED
from results.dropped_words import dropped_rows
from results.figures import write_figure
from results.lambdas import lambda_rows, lambdas_of
from results.made import MadeModels
from results.paper_figures import against_published, differences
from results.paper_numbers import PaperNumbers
from results.shown import kept
from results.sparsity_figures import by_sparsity, entropies, inputs_and_states, sparser
from results.study_numbers import STUDIES, NumberOf, table_name
from results.study_page import finished, options, rounded, write_record
from results.swaps import swap_table, swaps, unexplained
from results.templates import TEMPLATE, filled
from results.text_facts import write_facts
from results.told import MAIN, told, trained
from results.top_k_figure import top_k
from results.waiting import leave, take_in, waiting_file

PLACE = Path(__file__).parent


class Marked(NamedTuple):
    """What the setting of numbers is called that are not as published: all, or those named so."""

    setting: str
    of: str = ""

    def __call__(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Name the setting of a number."""
        return {**row, "setting": self.setting} if self.of in row["quantity"] else row


FIGURES = {
    "published": against_published,
    "differences": differences,
    "top_k": top_k,
    "sparser": sparser,
    "by_sparsity": by_sparsity,
    "entropies": entropies,
    "inputs_and_states": inputs_and_states,
    "pairs_of_measures": pairs.pairs_of_measures,
}
"""What a page can show, by the name of the file: `![…](published.svg)`."""

MARKED = dict.fromkeys(
    (
        *("madsen_2022", "madsen_2022_recursive"),
        *("madsen_2022_20news", "madsen_2022_20news_recursive"),
    ),
    Marked("scores at the decision, read by accuracy"),
) | {
    "wiegreffe_pinter_2019_guides_imdb": Marked("adversaries of 8 epochs", of="guide=adversary"),
}
"""Studies that are not as published, as a whole or in some numbers."""


def page_text(paper: PaperNumbers) -> str:
    """Fill the template of a paper's page from its table of numbers."""
    functions = (
        *(chance, ceiling, built_in, mean_of_all, counted, swaps, swap_table, unexplained, directions),
        *(chance_sentence, cause_table),
    )
    beside = (told, trained, all_tests, curves)
    of_folder = {f.__name__: functools.partial(f, paper.folder) for f in beside}
    known = {function.__name__: function for function in functions} | pairs.ASKED
    return filled(
        paper.folder, known | of_folder | {"printed_lambda": PRINTED, "number_of": NumberOf}, paper=paper
    )


def write_page(paper: PaperNumbers) -> None:
    """Write the page with the figures that it names."""
    text = page_text(paper)
    (paper.folder / "README.md").write_text(text, encoding="utf-8")
    for name, drawn in FIGURES.items():
        if f"({name}.svg)" in text:
            write_figure(paper.folder / f"{name}.svg", drawn(paper))


def main() -> None:
    """Train what is missing, write the numbers, how they came about, and the page."""
    parser = options(__doc__)
    parser.add_argument("paper", help="the name of the paper, as jain_wallace_2019")
    parser.add_argument("--study", help="another study that the paper's page shows, as vector_length")
    asked = parser.parse_args()
    folder = PLACE / asked.paper
    folder.mkdir(exist_ok=True)
    try:
        write_facts(asked.paper, folder, DataFolder.at(asked.data_dir))
        write_numbers(asked, folder)
    except MissingData as missing:
        # A page can be made of the tables that are there.
        if not asked.at_hand:
            raise
        say(str(missing))
    if (folder / TEMPLATE).exists():
        write_page(PaperNumbers(asked.paper, PLACE))


def write_numbers(asked: argparse.Namespace, folder: Path) -> None:
    """Write the numbers of a study's models, what it says of them, and how they came about."""
    workspace = Workspace.at(asked.data_dir, asked.output_dir, asked.device)
    name = asked.study or MAIN.get(asked.paper, asked.paper)
    waiting = waiting_file(folder, name)
    take_in(waiting, workspace.cache)
    file, models = finished(
        STUDIES / f"{name}.jsonnet", workspace, asked.jobs, asked.at_hand, keep_parts=True
    )
    runs, rows = gathered(models, file.choices)
    path = folder / ("numbers.csv" if asked.study is None else f"{table_name(file)}.csv")
    record = folder / "study.json" if asked.study is None else None
    if file.study.as_published(()) is not None:
        answers = Answers(folder, name, path, asked_for(models), file.study.overview)
        said = [*newly_said(file.study, answers, at_hand(file.study, models, runs, rows))]
        stay = answers.write(said)
        leave(waiting, workspace.cache, unfinished(models))
        # A record is of the models of one machine.
        if record is not None and said and not stay:
            write_record(record, file, models, workspace)
        return
    made = MadeModels(path, file, models, workspace)
    extended = made.extended(kept(rows, published(), asked.paper))
    write_rows(path, [*extended, *lambda_rows(extended, lambdas_of(cell for cell, _ in models.planned))])
    made.write()
    if record is not None:
        write_rows(folder / DERIVED, [*dropped_rows(extended)])
        write_record(record, file, models, workspace, made)
        write_changes(folder / "changes.csv", [*change_rows(runs)])


def unfinished(models: Models) -> set[str]:
    """Return the keys of what is there of cells that are not whole: no answer keeps their models."""
    return {key for there, asked in models.keys().values() if len(there) < len(asked) for key in there}


def newly_said(study: Study, answers: Answers, here: Iterable[AtHand]) -> Iterator[Said]:
    """Ask a study about the models at hand, unless what is stored rests on more of them."""
    claims, name = published(), answers.study
    tells = is_told(answers.folder, name)
    for one in here:
        if not answers.takes(one):
            few = f"{name}, {one.cell}: {one.models} models are at hand"
            say(f"{few}; what is said of more of them stays as it was")
            continue
        named = study.as_published(one.rows) or ()
        if name in MARKED:
            named = [MARKED[name](row) for row in named]
        answer = study(one.runs, one.designs) if tells else None
        yield Said(one, answer, kept(named, claims, answers.folder.name))


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of numbers, if there are any, else no table; intervals over texts are left out."""
    path.unlink(missing_ok=True)
    if rows:
        numbers = pl.DataFrame(rows, infer_schema_length=None)
        rounded(numbers.drop("low", "high", strict=False)).write_csv(path)


def is_told(folder: Path, study: str) -> bool:
    """Say whether the page has a place for what a study says; else its numbers alone are kept."""
    template = folder / TEMPLATE
    return not template.exists() or f"told('{study}'" in template.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
