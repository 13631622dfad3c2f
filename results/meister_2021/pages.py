"""The tables of the page, laid out in Markdown."""

from collections.abc import Mapping
from typing import Any

from results.markdown import number, spread, table
from results.meister_2021.sweep import Sweep

Tables = Mapping[str, list[dict[str, Any]]]
ENDS = ("softmax", "sparsemax")
"""The projections that the paper's tables show."""

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
    "deletion, beyond random",
]
CHANGES = {
    "calibrated": "from chance to ceiling",
    "permuted": "the same weights on other words",
    "beyond": "what is left",
    "comprehensiveness": "lost without the top words",
    "sufficiency": "kept by them alone",
}
"""What sparsemax changes, as columns."""


def _beside_published(row: Mapping[str, Any], measure: str) -> list[str]:
    ours = spread(row, measure, f"{measure}_low", f"{measure}_high")
    return [ours, number(row[f"{measure}_published"])]


def _change(rows: list[dict[str, Any]], data: str, encoder: str, quantity: str) -> str:
    """Write before → after, and the change with its interval, bold if that is to one side of 0."""
    about = {"dataset": data, "encoder": encoder, "quantity": quantity, "measure": "leave_one_out"}
    (row,) = (row for row in rows if about.items() <= row.items())
    change = spread(row, "change")
    if row["low"] > 0 or row["high"] < 0:
        change = f"**{change}**"
    return f"{number(row['softmax'])} → {number(row['sparsemax'])}: {change}"


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
        "CHANGE": table(
            ["data", "encoder", *CHANGES.values()],
            [
                [data, encoder, *(_change(tables["change"], data, encoder, q) for q in CHANGES)]
                for data, encoder in dict.fromkeys(
                    (r["dataset"], r["encoder"]) for r in tables["change"]
                )
            ],
        ),
        "FACETS": table(
            [*model, "influence on", "H̃", "untrained", "own token's share", "untrained"],
            [
                [
                    *_model(row),
                    row["on"],
                    spread(row),
                    *(number(row[key]) for key in ("untrained", "own", "own_untrained")),
                ]
                for row in tables["facets"]
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
                    number(row["gain"]),
                ]
                for row in tables["choices"]
            ],
        ),
        "SEEDS": sweep.seeds(),
    }
