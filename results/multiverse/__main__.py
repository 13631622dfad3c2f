"""Write results/multiverse: what the numbers of the papers depend on.

python -m results.multiverse --device cuda --jobs 14

Trains what the cache of the output folder does not hold. With --at-hand it trains nothing, and leaves
the cells out of which a model is missing.
"""

import csv
from pathlib import Path

from attex.runner.workspace import Workspace
from results.figures import write_figure
from results.multiverse.figure import answer_figure
from results.study_page import (
    answered,
    finished,
    markdown,
    options,
    write_figures,
    write_record,
    write_tables,
    write_wide,
)

PLACE = Path(__file__).parent
STUDY = PLACE.parent.parent / "experiments" / "studies" / "multiverse.jsonnet"
CELL = "sst_lstm_tanh_softmax"
NUMBER = "kendall_tau_attention_gradient__"
FIGURES = {
    "shares": f"shares_{NUMBER}{CELL}",
    "levels": f"levels_{NUMBER}{CELL}",
    "curve": f"curve_{NUMBER}{CELL}",
    "conclusions": "conclusions",
}
SHOWN = {
    "What does it depend on?": [
        ("shares", "Shares of variance of τ(attention, gradient), SST, BiLSTM with tanh attention"),
        ("levels", "The mean of τ(attention, gradient) at each level"),
    ],
    "How far does it spread?": [("curve", "All universes, and what was chosen in each")],
    "Do the papers' conclusions hold?": [("conclusions", "What the universes of each cell say")],
}
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
    asked = options(__doc__).parse_args()
    workspace = Workspace.at(asked.data_dir, asked.output_dir, asked.device)
    file, models = finished(STUDY, workspace, asked.jobs, asked.at_hand)
    answer, rows = answered(file, models)
    write_tables(PLACE, answer, ("spread", "shares", "effects", "conclusions"))
    write_wide(PLACE / "numbers.csv", rows, [choice.name for choice in file.choices])
    with (PLACE / "base.csv").open("w", encoding="utf-8", newline="") as base:
        csv.writer(base, lineterminator="\n").writerows([("choice", "level"), *PAPERS_HAVE.items()])
    write_figures(PLACE, answer, FIGURES)
    write_figure(PLACE / "answer.svg", answer_figure(PLACE / "numbers.csv"))
    write_record(PLACE / "manifest.json", file, models, workspace)
    count = sum(len(cell.configs) for cell in models.cells) * len(models.seeds)
    page = (PLACE / "template.md").read_text(encoding="utf-8")
    page = page.replace("{MODELS}", f"{count:,}").replace("{CELLS}", str(len(models.cells)))
    page = page.replace("{LEAD}", " ".join(answer.lead)).replace("{PARTS}", markdown(answer, SHOWN))
    (PLACE / "README.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
