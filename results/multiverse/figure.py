"""The one figure that tells the story: every universe of one cell, by what moves it most."""

from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from attex.analyses.quantity import OVERALL
from attex.charts.style import finish
from attex.claims.ledger import PAPERS, published

CELL = {"dataset": "sst", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}
QUANTITY = "kendall_tau(attention, gradient)"
NONE = "no vectors"
_SHADES = ["#9ecae1", "#4292c6", "#08306b"]


def answer_figure(numbers: Path) -> dict[str, Any]:
    """Draw a dot for each universe, the mean over its seeds, in a row for each length of the vectors."""
    table = pl.read_csv(numbers, infer_schema_length=None)
    cell = table.filter([pl.col(key) == value for key, value in CELL.items()])
    choices = table.columns[len(CELL) : table.columns.index("seed")]
    means = cell.group_by(choices, maintain_order=True).agg(
        pl.col(QUANTITY).mean().alias("tau"), pl.col("accuracy").mean()
    )
    rows = [
        {
            "length": NONE if row["length"] is None else f"length {row['length']:g}",
            "rate": f"{row['learning_rate']:g}",
            "tau": round(row["tau"], 4),
            "accuracy": round(row["accuracy"], 4),
        }
        for row in means.to_dicts()
    ]
    lengths = sorted({row["length"] for row in rows} - {NONE}, key=lambda name: float(name.split()[1]))
    rates = sorted({row["rate"] for row in rows}, key=float)
    (claim,) = published(quantity=QUANTITY, class_=OVERALL, paper="jain_wallace_2019", **CELL)
    y = alt.Y("length:N", sort=[*lengths, NONE], title=None, scale=alt.Scale(paddingInner=0.25))
    dots = (
        alt.Chart(alt.InlineData(rows))
        .mark_circle(size=34, opacity=0.85, stroke="white", strokeWidth=0.4)
        .encode(
            x=alt.X(
                "tau:Q",
                title="τ(attention, gradient), mean over the test texts",
                axis=alt.Axis(tickCount=7, format=".1f"),
            ),
            y=y,
            yOffset=alt.YOffset("rate:N", sort=rates),
            color=alt.Color(
                "rate:N", sort=rates, title="learning rate", scale=alt.Scale(domain=rates, range=_SHADES)
            ),
            tooltip=["length:N", "rate:N", "tau:Q", "accuracy:Q"],
        )
    )
    line = alt.Chart(alt.InlineData([{"tau": claim.mean}]))
    rule = line.mark_rule(strokeDash=[5, 3], strokeWidth=1.5, color="#222").encode(x="tau:Q")
    name = line.mark_text(align="left", dx=5, fontSize=12, color="#222").encode(
        x="tau:Q",
        y=alt.value(-7),
        text=alt.value(f"published: {claim.mean:.2f} ({PAPERS[claim.paper]})"),
    )
    chart = alt.layer(dots, rule, name).properties(
        width=560, height=260, title=f"One model, one dataset, {len(rows)} defensible settings"
    )
    return finish(
        chart,
        "A dot is a setting of a BiLSTM with tanh attention on SST: the mean over its seeds. Rows are "
        "by the length of the word vectors that it starts from, shades by the learning rate.",
    )
