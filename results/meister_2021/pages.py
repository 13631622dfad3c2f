"""The tables of the page, laid out in Markdown."""

from collections.abc import Mapping
from typing import Any

from results.markdown import number, spread, table
from results.meister_2021.sweep import ENDS, Sweep

Tables = Mapping[str, list[dict[str, Any]]]

SWEEP_HEADER = [
    "data",
    "encoder",
    "published",
    "points: models × texts",
    "points: models",
    "λ",
    "models",
    "undefined",
]
TAU_HEADER = [
    "measure",
    "published",
    "τ here",
    "ceiling",
    "calibrated",
    "untrained",
    "permuted",
    "beyond permuted",
]
CHOICES_HEADER = [
    "encoder",
    "projection",
    "attention's rate, vectors",
    "accuracy",
    "H̃ of influence",
    "τ gradient",
    "published",
    "τ leave-one-out",
    "published",
    "what is left beyond permuted",
    "lost without the top 1 %",
]
CHANGES = {
    ("leave_one_out", "calibrated"): "from chance to ceiling",
    ("leave_one_out", "permuted_share"): "the same weights on other words",
    ("leave_one_out", "beyond_share"): "what is left",
    ("", "comprehensiveness_first"): "lost without the top 1 %",
    ("", "comprehensiveness"): "lost, area",
}
"""What sparsity changes, as columns."""
COUNTED = {
    ("leave_one_out", "calibrated"): "τ with leave-one-out, share of the way from chance to ceiling",
    ("leave_one_out", "beyond_share"): "… beyond the same weights on other words",
    ("gradient_norm", "calibrated"): "τ with the gradient, share of the way",
    ("gradient_norm", "beyond_share"): "… beyond the same weights on other words",
    ("", "comprehensiveness_first"): "probability lost without the top 1 % of the words",
    ("", "comprehensiveness"): "… area over 1 to 50 %",
    ("", "sufficiency_first"): "probability kept by the top 1 % alone",
    ("", "sufficiency"): "… area over 1 to 50 %",
}
"""What is counted, as lines."""


def _beside_published(row: Mapping[str, Any], measure: str) -> list[str]:
    ours = spread(row, measure, f"{measure}_low", f"{measure}_high")
    return [ours, number(row[f"{measure}_published"])]


def change_cell(row: Mapping[str, Any]) -> str:
    """Write before → after, and the change with its interval, bold if that is to one side of 0."""
    change = spread(row, "change")
    if row["low"] > 0 or row["high"] < 0:
        change = f"**{change}**"
    return f"{number(row['before'])} → {number(row['after'])}: {change}"


def count_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    """One line a quantity, a column a sparser projection: in how many models it rises and falls."""
    lines: dict[tuple[str, str], dict[str, list[int]]] = {}
    for row in rows:
        counts = lines.setdefault((row["measure"], row["quantity"]), {}).setdefault(row["to"], [0, 0, 0])
        counts[0 if row["low"] > 0 else 1 if row["high"] < 0 else 2] += 1
    return [
        [shown, *("{} ↑ {} ↓ {} –".format(*counts) for counts in lines[key].values())]
        for key, shown in COUNTED.items()
        if key in lines
    ]


def change_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    """One line a model and sparser projection, a column a quantity."""
    lines: dict[tuple[str, str, str], dict[tuple[str, str], str]] = {}
    for row in rows:
        line = lines.setdefault((row["dataset"], row["encoder"], row["to"]), {})
        line[row["measure"], row["quantity"]] = change_cell(row)
    return [[*about, *(cells[key] for key in CHANGES)] for about, cells in lines.items()]


def _model(row: Mapping[str, Any]) -> list[str]:
    return [row["dataset"], row["encoder"], row["projection"]]


def pages(sweep: Sweep, tables: Tables) -> dict[str, str]:
    """Lay the tables out in Markdown."""
    model = ["data", "encoder", "projection"]
    ends = [row for row in tables["table_6"] if row["projection"] in ENDS]
    attention = [r for r in tables["faithfulness"] if r["measure"] == "attention"]
    return {
        "TABLE_1": table(
            [*model, "published", "H̃ here", "std", "untrained", "own token's share", "untrained"],
            [
                [
                    *_model(row),
                    f"{number(row['published'])} ± {number(row['published_std'])}",
                    spread(row),
                    number(row["std"]),
                    number(row["untrained"]),
                    spread(row, "own", "own_low", "own_high"),
                    number(row["own_untrained"]),
                ]
                for row in tables["table_1"]
            ],
        ),
        "TABLE_2": table(
            SWEEP_HEADER,
            [
                [
                    row["dataset"],
                    row["encoder"],
                    number(row["published"]),
                    spread(row),
                    number(row["by_model"]),
                    row["lambdas"],
                    str(row["models"]),
                    str(row["undefined"]),
                ]
                for row in tables["table_2"]
            ],
        ),
        "TABLE_3": table(
            [*model, "published", "accuracy", "weights that are not 0"],
            [
                [*_model(r), number(r["published"]), spread(r, "accuracy"), f"{r['support']:.1f}"]
                for r in tables["table_3"]
            ],
        ),
        "TABLE_6": table(
            [*model, *TAU_HEADER],
            [
                [
                    *_model(row),
                    row["measure"],
                    number(row["published"]),
                    spread(row),
                    number(row["ceiling"]),
                    spread(row, "calibrated", "calibrated_low", "calibrated_high"),
                    number(row["untrained"]),
                    number(row["permuted"]),
                    spread(row, "beyond_mean", "beyond_low", "beyond_high"),
                ]
                for row in ends
            ],
        ),
        "FAITHFULNESS": table(
            [*model, "quantity", "attention", "random", "gain"],
            [
                [
                    *_model(row),
                    row["quantity"],
                    spread(row),
                    number(row["random"]),
                    spread(row, "gain", "gain_low", "gain_high"),
                ]
                for row in attention
                if row["projection"] in ENDS
            ],
        ),
        "COUNTS": table(
            ["softmax against", *dict.fromkeys(row["to"] for row in tables["change"])],
            count_rows(tables["change"]),
        ),
        "CHANGE": table([*model, *CHANGES.values()], change_rows(tables["change"])),
        "DIMENSIONS": table(
            [*model, "influence on", "H̃", "untrained", "own token's share", "untrained"],
            [
                [
                    *_model(row),
                    row["on"],
                    spread(row),
                    *(number(row[key]) for key in ("untrained", "own", "own_untrained")),
                ]
                for row in tables["dimensions"]
            ],
        ),
        "CHOICES": table(
            CHOICES_HEADER,
            [
                [
                    *_model(row)[1:],
                    row["chosen"],
                    number(row["accuracy"]),
                    number(row["influence"]),
                    *_beside_published(row, "gradient_norm"),
                    *_beside_published(row, "leave_one_out"),
                    number(row["beyond_share"]),
                    number(row["comprehensiveness_first"]),
                ]
                for row in tables["choices"]
            ],
        ),
        "SEEDS": sweep.seeds(),
    }
