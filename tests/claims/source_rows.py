"""From a row of the list of published numbers to a row of the ledger: the same number in our words.

`python tests/claims/source_rows.py LIST` prints the ledger.
"""

import csv
import re
import sys
from pathlib import Path

LIST = Path(__file__).parents[3] / "shared" / "spec" / "claims.csv"
"""The list that the ledger was made from; it is no part of the repository."""

COLUMNS = [
    *(
        "claim",
        "paper",
        "location",
        "dataset",
        "encoder",
        "attention",
        "projection",
        "quantity",
        "class",
    ),
    *("mean", "std", "significant", "as_written", "note", "source"),
]
DATASETS = {"agnews": "ag_news", "sst_wiki": "sst-wiki"}
ENCODERS = {"bilstm": "lstm", "bigru": "gru"}
# Under uniform weights no energy counts; tanh is what such a model is written with.
ATTENTIONS = {"dot": "sdp", "uniform": "tanh"}
PROJECTIONS = {"sparsegen sweep": "sparsegen"}
CLASSES = {
    "sst": ("negative", "positive"),
    "imdb": ("negative", "positive"),
    "20news": ("baseball", "hockey"),
    "ag_news": ("world", "business"),
    # The released code sorts the names of the answers before it numbers them.
    "snli": ("contradiction", "entailment", "neutral"),
}
BY_FREQUENCY = "neely_schouten_2020"
"""Who numbers classes by how many training texts they have: the positive class is the larger one."""

QUANTITIES = {
    "f1_of_class": "f1",
    "entropy:gradient_to_hidden": "entropy(influence on states)",
    "kendall_tau:sparsegen_lambda:entropy_of_gradient": "kendall_tau(lambda, entropy(gradient_norm))",
    "adversary_search:jsd_max": "jsd_max(search)",
    "guide_mlp:uniform:f1_positive": "f1",
    "guide_mlp:trained MLP:f1_positive": "f1",
    "guide_mlp:base LSTM:f1_positive": "f1(guide=lstm)",
    "guide_mlp:adversary:f1_positive": "f1(guide=adversary)",
    # Not our `gradient`, which has the word's own coordinate alone: theirs is the norm over all words'.
    "racu_recursive:gradient": "racu_recursive(gradient_norm[one-hot])",
    "accuracy[impermissible tokens removed or neutralised]": "accuracy(without impermissible tokens)",
}
PATTERNS = [
    (r"adversary_search:jsd_max\[max attention in (.+)\]:median", r"jsd_max(search)[\1] median"),
    (
        r"permutation:median_output_change\[max attention in (.+)\]:median",
        r"median_output_change[\1] median",
    ),
    (r"f1_positive\[.+\]", "f1"),
    (r"adversary_(frozen|unfrozen):(\w+?)(_positive)?", r"\2(adversary, \1)"),
    (r"racu_recursive:(\w+)", r"racu_recursive(\1)"),
    (r"top_k_published\[(k=\w+)\]:(\w+):(\w+)", r"top_k_published(\1)(\2, \3)"),
    (r"kendall_tau:(\w+):(\w+)(?:\[input\])?", r"kendall_tau(\1, \2)"),
    (r"kendall_tau:(\w+):(\w+\[hidden\])", r"kendall_tau(\1, \2)"),
    (r"(accuracy|impermissible_mass|impermissible_share_of_tokens)\[(.+)\]", r"\1(\2)"),
    (r"(accuracy|roc_auc|pr_auc|f1_macro|n_train|n_dev|n_test)", r"\1"),
]


def quantity(written: str) -> str:
    """Say in our words what a number is of."""
    if written in QUANTITIES:
        return QUANTITIES[written]
    for pattern, ours in PATTERNS:
        if match := re.fullmatch(pattern, written):
            return match.expand(ours)
    raise ValueError(f"no words for {written}")


def class_name(row: dict[str, str], dataset: str) -> str:
    """Name a class, where it is known which one its number means."""
    if row["class"] == "overall" or dataset not in CLASSES:
        return row["class"]
    names = CLASSES[dataset][::-1] if row["paper"] == BY_FREQUENCY else CLASSES[dataset]
    return names[int(row["class"])]


def ledger_row(row: dict[str, str]) -> dict[str, str]:
    """Return the row of the ledger; numbers, note and source are as they were, to the letter."""
    dataset = DATASETS.get(row["dataset"], row["dataset"])
    changed = {
        "dataset": dataset,
        "encoder": ENCODERS.get(row["encoder"], row["encoder"]),
        "attention": ATTENTIONS.get(row["attention"], row["attention"]),
        "projection": PROJECTIONS.get(row["projection"], row["projection"]),
        "quantity": quantity(row["quantity"]),
        "class": class_name(row, dataset),
        "significant": row["sig_frac"],
        "as_written": row["quantity"],
    }
    if (row["attention"], row["projection"]) == ("uniform", "softmax"):
        changed["projection"] = "uniform"
    return {name: (row | changed)[name] for name in COLUMNS}


def main() -> None:
    """Print the ledger."""
    with Path(sys.argv[1]).open(encoding="utf-8", newline="") as file:
        rows = [ledger_row(row) for row in csv.DictReader(file)]
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


if __name__ == "__main__":
    main()
