"""Write results/multiverse: what the numbers of the papers depend on.

python -m results.multiverse --device cuda --jobs 14
python -m results.multiverse --study multiverse_20news --device cuda --jobs 14

Each dataset is a study of its own, SST's the first. Trains what the cache of the output folder does not
hold. With --at-hand it trains nothing: a study that is not finished stays on the page as it was, and the
models that it has wait in a file, waiting_NAME.tar.xz, which the next call takes them from.
"""

import argparse
import csv
import json
from pathlib import Path
from typing import Any

from attex.claims.sizes import PUBLISHED
from attex.foundations.errors import MissingData
from attex.foundations.progress import say
from attex.runner.workspace import Workspace
from results.figures import write_figure
from results.markdown import plain
from results.multiverse.across import across
from results.multiverse.figure import answer_figure
from results.study_page import (
    answered,
    finished,
    options,
    write_figures,
    write_record,
    write_tables,
    write_wide,
)
from results.templates import filled
from results.waiting import count, leave, take_in, waiting_file

PLACE = Path(__file__).parent
STUDIES = PLACE.parent.parent / "experiments" / "studies"
MAIN = "multiverse"
FURTHER = {"multiverse_20news": "20News", "multiverse_ag_news": "AG News", "multiverse_imdb": "IMDB"}
"""The studies of other datasets, and what these are called."""

CELL = "sst_lstm_tanh_softmax"
NUMBER = "kendall_tau_attention_gradient__"
CONCLUSIONS = ("Do the papers' conclusions hold?", "conclusions", "What the universes of each cell say")
SHOWN = (
    (
        *("What does it depend on?", f"shares_{NUMBER}{CELL}"),
        "Shares of variance of τ(attention, gradient), SST, BiLSTM with tanh attention",
    ),
    (
        *("What does it depend on?", f"levels_{NUMBER}{CELL}"),
        "The mean of τ(attention, gradient) at each level",
    ),
    ("How far does it spread?", f"curve_{NUMBER}{CELL}", "All universes, and what was chosen in each"),
    CONCLUSIONS,
)
"""What is drawn of SST: the part of the answer, the chart, and what the figure shows."""

PAPERS_HAVE = {
    "vectors": "word2vec",
    "length": "5.2",
    "unknown": "zero",
    "width": "128",
    "learning_rate": "0.001",
    "weight_decay": "1e-05",
    "epochs": "8",
    "batch_size": "32",
    "class_weights": "weighted",
}
"""The level of each choice that is Jain & Wallace's, as far as known; their vectors are fastText's."""


def main() -> None:
    """Train what is missing, and write tables, figures and page."""
    parser = options(__doc__)
    parser.add_argument("--study", default=MAIN, choices=[MAIN, *FURTHER])
    asked = parser.parse_args()
    try:
        write_study(asked)
    except MissingData as missing:
        # A page can be made of what is there.
        if not asked.at_hand:
            raise
        say(str(missing))
    write_page()


def write_study(asked: argparse.Namespace) -> None:
    """Write what a study says: sentences as JSON, tables as csv, and a few figures."""
    workspace = Workspace.at(asked.data_dir, asked.output_dir, asked.device)
    end = ending(asked.study)
    parts = waiting_file(PLACE, asked.study)
    take_in(parts, workspace.cache)
    file, models = finished(
        STUDIES / f"{asked.study}.jsonnet", workspace, asked.jobs, asked.at_hand, keep_parts=True
    )
    there = {record["key"] for record in models.records()}
    if len(there) < models.asked:
        leave(parts, workspace.cache, there)
        missing = f"{models.asked - len(there):,} of {models.asked:,} models are missing"
        say(f"{asked.study}: {missing}; its page stays as it was, and the others wait in {parts.name}")
        return
    leave(parts, workspace.cache, ())
    answer, rows = answered(file, models)
    write_tables(PLACE, answer, ("spread", "shares", "effects", "conclusions"), end)
    write_wide(PLACE / f"numbers{end}.csv", rows, [choice.name for choice in file.choices])
    shown = SHOWN if asked.study == MAIN else (CONCLUSIONS,)
    names = {chart: f"{chart.partition('_')[0]}{end}" for _, chart, _ in shown}
    write_figures(PLACE, answer, {name: chart for chart, name in names.items()})
    facts = {
        "models": models.asked,
        "cells": len(models.cells),
        "lead": " ".join(answer.lead),
        "parts": [
            {
                "title": part.title,
                "explanation": part.explanation,
                "sentences": list(part.sentences),
                "figures": {names[chart]: text for title, chart, text in shown if title == part.title},
            }
            for part in answer.parts
        ],
    }
    text = json.dumps(facts, indent=2, ensure_ascii=False)
    (PLACE / f"facts{end}.json").write_text(text + "\n", encoding="utf-8")
    write_record(PLACE / f"manifest{end}.json", file, models, workspace)


def write_page() -> None:
    """Write the page of all studies that are there, and the figure that it begins with."""
    with (PLACE / "base.csv").open("w", encoding="utf-8", newline="") as base:
        csv.writer(base, lineterminator="\n").writerows([("choice", "level"), *PAPERS_HAVE.items()])
    write_figure(PLACE / "answer.svg", answer_figure(PLACE / "numbers.csv"))
    (PLACE / "README.md").write_text(page_text(), encoding="utf-8")


def page_text() -> str:
    """Fill the template with what the studies say."""
    said = {"told": told, "facts": facts_of, "ending": ending, "waiting": waiting, "part": part_of}
    there = {study: name for study, name in ({MAIN: "SST"} | FURTHER).items() if facts_of(study)}
    side_by_side = across(PLACE, {ending(study): name for study, name in there.items()})
    return filled(PLACE, said, further=FURTHER, datasets=len(there), across=side_by_side)


def ending(study: str) -> str:
    """Return what the names of a study's files end with."""
    return study.removeprefix(MAIN)


def facts_of(study: str) -> dict[str, Any] | None:
    """Read what a study says, if it is finished."""
    path = PLACE / f"facts{ending(study)}.json"
    if not path.exists():
        return None
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return facts


def waiting(study: str) -> int:
    """Return how many models of a study wait for the others."""
    return count(waiting_file(PLACE, study))


def part_of(study: str) -> str:
    """Say how many training texts are at hand, where the papers had more."""
    there, published = PUBLISHED.get(ending(study).removeprefix("_"), (0, 0))
    return f"{there:,} of the {published:,}" if there else ""


def told(study: str, level: int = 2) -> str:
    """Lay out the parts of what a study says, under headings of a level."""
    facts = facts_of(study)
    lines: list[str] = []
    for part in facts["parts"] if facts else ():
        lines += [f"{'#' * level} {part['title']}", "", plain(part["explanation"]), ""]
        lines += [f"- {plain(sentence)}" for sentence in part["sentences"]] + [""]
        for file, text in part["figures"].items():
            lines += [f"![{text}]({file}.svg)", ""]
    return "\n".join(lines).rstrip()


if __name__ == "__main__":
    main()
