"""Write results/NAME: the models of a paper's study, and its published numbers beside them.

python -m results.papers jain_wallace_2019 --device cuda --jobs 14

Trains what the cache of the output folder does not hold. With --at-hand it trains nothing, and a model
that is missing is missing. `attex claims` then judges all published numbers.
"""

import argparse
import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from attex.claims.ledger import published
from attex.claims.page import cause_table, chance_sentence
from attex.data.folder import DataFolder
from attex.foundations.errors import MissingData
from attex.foundations.progress import say
from attex.runner.workspace import Workspace
from attex.studies.gathering import gathered
from attex.studies.ledger_words import PRINTED
from results import pairs
from results.by_seed import built_in, ceiling, chance
from results.changes import change_rows, counted
from results.directions import directions
from results.dropped_words import TABLE as DERIVED
from results.dropped_words import dropped_rows
from results.figures import write_figure
from results.lambdas import lambda_rows
from results.paper_figures import against_published, differences
from results.paper_numbers import PaperNumbers
from results.shown import kept
from results.sparsity_figures import by_sparsity, entropies, inputs_and_states, sparser
from results.study_numbers import STUDIES, table_name
from results.study_page import finished, options, rounded, write_record
from results.swaps import swap_table, swaps, unexplained
from results.templates import TEMPLATE, filled
from results.text_facts import write_facts
from results.told import MAIN, told, trained, write_told
from results.top_k_figure import top_k

PLACE = Path(__file__).parent
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

MARKED = {"madsen_2022": "scores at the decision, read by accuracy"}
"""Studies that are not as published as a whole: what their setting is called."""


def page_text(paper: PaperNumbers) -> str:
    """Fill the template of a paper's page from its table of numbers."""
    functions = (
        *(chance, ceiling, built_in, counted, swaps, swap_table, unexplained, directions),
        *(chance_sentence, cause_table),
    )
    of_folder = {f.__name__: functools.partial(f, paper.folder) for f in (told, trained)}
    known = {function.__name__: function for function in functions} | pairs.ASKED
    return filled(paper.folder, known | of_folder | {"printed_lambda": PRINTED}, paper=paper)


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
    write_facts(asked.paper, folder, DataFolder.at(asked.data_dir))
    try:
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
    file, models = finished(
        STUDIES / f"{name}.jsonnet", workspace, asked.jobs, asked.at_hand, keep_parts=True
    )
    runs, rows = gathered(models, file.choices)
    named = file.study.as_published(rows)
    derived: list[Mapping[str, Any]] = []
    if named is None:
        named = [*rows, *lambda_rows(models.cells, runs)]
        derived = [*dropped_rows(rows)]
    else:
        if is_told(folder, name):
            made = sum(1 for _ in models.records())
            answer = file.study(runs, [cell.design for cell in models.cells])
            write_told(folder, name, answer, made, models.asked)
    if name in MARKED:
        named = [{**row, "setting": MARKED[name]} for row in named]
    table_of_models = "numbers" if asked.study is None else table_name(file)
    write_kept(folder / f"{table_of_models}.csv", named, asked.paper)
    if asked.study is None:
        write_kept(folder / DERIVED, derived, asked.paper)
        write_record(folder / "study.json", file, models, workspace)
        changes = [*change_rows(runs)]
        if changes:
            rounded(pl.DataFrame(changes)).write_csv(folder / "changes.csv")


def write_kept(path: Path, rows: Iterable[Mapping[str, Any]], paper: str) -> None:
    """Write the rows that a paper has published or its page shows, if there are any."""
    numbers = kept(rows, published(), paper)
    if numbers:
        table_of_numbers = pl.DataFrame(numbers, infer_schema_length=None)
        rounded(table_of_numbers.drop("low", "high", strict=False)).write_csv(path)


def is_told(folder: Path, study: str) -> bool:
    """Say whether the page has a place for what a study says; else its numbers alone are kept."""
    template = folder / TEMPLATE
    return not template.exists() or f"told('{study}')" in template.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
