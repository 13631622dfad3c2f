"""Write results/pruthi_2020/numbers.csv: sizes of the tasks, and how much of a text is impermissible.

python -m results.pruthi_2020 [--data-dir DATA]

Facts about texts, which no training changes; the models of the paper are not trained here.
"""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from attex.data.folder import DataFolder
from attex.data.reader import SPLITS, Document
from attex.data.readers.deceptive import Deceptive

HERE = Path(__file__).parent
COLUMNS = ("dataset", "encoder", "attention", "projection", "seed", "quantity", "class", "value")
TASKS = (Deceptive(task="pronoun"), Deceptive(task="sst-wiki"))
"""Of the third, occupation, the training texts are not to be had."""


def facts(task: Deceptive, folder: DataFolder) -> Iterator[tuple[str, float]]:
    """Count the texts of each split, and the mean share of marked tokens in those of the test split."""
    texts = [each for each in task.documents(folder) if isinstance(each, Document)]
    for split in SPLITS:
        yield f"n_{split}", sum(text.split == split for text in texts)
    shares = [np.mean(text.truth) for text in texts if text.split == "test" and text.truth]
    yield "impermissible_share_of_tokens(test)", round(float(np.mean(shares)), 4)


def main() -> None:
    """Count, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    folder = DataFolder.at(parser.parse_args().data_dir)
    with (HERE / "numbers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for task in TASKS:
            for quantity, value in facts(task, folder):
                writer.writerow([task.task, "", "", "", "", quantity, "overall", f"{value:g}"])


if __name__ == "__main__":
    main()
