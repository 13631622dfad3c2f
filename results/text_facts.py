"""Facts about the texts of a paper, which no training changes: sizes, and how much is impermissible."""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from attex.data.folder import DataFolder
from attex.data.reader import SPLITS, Document
from attex.data.readers.deceptive import Deceptive

COLUMNS = ("dataset", "encoder", "attention", "projection", "seed", "quantity", "class", "value")
TABLE = "numbers_texts.csv"
TASKS = {"pruthi_2020": (Deceptive(task="pronoun"), Deceptive(task="sst-wiki"))}
"""By paper; of Pruthi et al.'s third task, occupation, the training texts are not to be had."""


def facts(task: Deceptive, folder: DataFolder) -> Iterator[tuple[str, float]]:
    """Count the texts of each split, and the mean share of marked tokens in those of the test split."""
    texts = [each for each in task.documents(folder) if isinstance(each, Document)]
    for split in SPLITS:
        yield f"n_{split}", sum(text.split == split for text in texts)
    shares = [np.mean(text.truth) for text in texts if text.split == "test" and text.truth]
    yield "impermissible_share_of_tokens(test)", round(float(np.mean(shares)), 4)


def write_facts(paper: str, place: Path, folder: DataFolder) -> None:
    """Write the table of a paper whose texts have facts of their own; nothing for the others."""
    if paper not in TASKS:
        return
    # Before the file is opened: without the texts the table stays as it was.
    counted = [(task.task, *fact) for task in TASKS[paper] for fact in facts(task, folder)]
    with (place / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for task, quantity, value in counted:
            writer.writerow([task, "", "", "", "", quantity, "overall", f"{value:g}"])
