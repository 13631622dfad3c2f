"""How well each measure finds the tokens that decide."""

from collections.abc import Sequence
from typing import Any

from attex.charts.style import PALETTE, SEEDS_AND_INTERVAL, finish

_NAMES = {"auprc": "AUPRC", "precision_at_k": "precision at the true k"}


def truth_chart(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Draw mean and interval by measure, one panel a score, a tick at chance; a dot is a seed."""
    import altair as alt

    last = {(row["measure"], row["score"]): row for row in rows}
    shown = [
        {key: row[key] for key in ("measure", "mean", "low", "high", "chance")}
        | {"score": _NAMES[row["score"]], "seed": row["seed"], "pooled": last[key_of(row)] is row}
        for row in rows
    ]
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    y = alt.Y("measure:N", sort=measures, title=None)
    x = alt.X("mean:Q", title="mean over texts", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart().transform_calculate(row="datum.measure")
    pooled = base.transform_filter("datum.pooled")
    tooltip = [
        "measure:N",
        "seed:N",
        *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("mean", "low", "high", "chance")),
    ]
    interval = pooled.mark_rule(strokeWidth=3, color=PALETTE[0]).encode(y=y, x="low:Q", x2="high:Q")
    mean = pooled.mark_point(filled=True, size=90, opacity=1, color=PALETTE[0]).encode(
        y=y, x=x, tooltip=tooltip
    )
    seeds = base.mark_point(filled=True, size=25, opacity=0.5, color="#444").encode(
        y=y, x=x, tooltip=tooltip
    )
    chance = pooled.mark_tick(thickness=2, size=22, color=PALETTE[1]).encode(
        y=y, x="chance:Q", tooltip=[alt.Tooltip("chance:Q", format=".3f")]
    )
    panel = alt.layer(interval, seeds, mean, chance, data=alt.InlineData(shown))
    panels = panel.properties(width=300, height=40 * len(measures)).facet(
        column=alt.Column("score:N", title=None, sort=list(_NAMES.values()))
    )
    titled = panels.properties(title="Measures against the truth (tick: chance)")
    return finish(titled, f"{SEEDS_AND_INTERVAL} The tick is what a random ranking gets.")


def key_of(row: dict[str, Any]) -> tuple[str, str]:
    """Name what a row of the table is about."""
    return row["measure"], row["score"]
