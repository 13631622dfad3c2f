"""How far the output moves under other attention, and under other words."""

from collections.abc import Sequence
from typing import Any

from attex.charts.style import PALETTE, SEEDS_AND_INTERVAL, WIDTH, finish


def log_odds_chart(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Draw the mean TVD and its interval by what was changed; a small dot is a seed.

    rows have change, seed, tvd, tvd_low and tvd_high; the last row of a change is of all seeds.
    """
    import altair as alt

    last = {row["change"]: row for row in rows}
    columns = ("change", "seed", "tvd", "tvd_low", "tvd_high")
    shown = [{c: row[c] for c in columns} | {"pooled": last[row["change"]] is row} for row in rows]
    y = alt.Y("change:N", sort=[*last], title=None, axis=alt.Axis(labelLimit=240))
    x = alt.X("tvd:Q", title="mean TVD from the model's own output", scale=alt.Scale(domainMin=0))
    numbers = (alt.Tooltip(f"{name}:Q", format=".3f") for name in columns[2:])
    tooltip = ["change:N", "seed:N", *numbers]
    base = alt.Chart(alt.InlineData(shown), title="What moves the output")
    pooled = base.transform_filter("datum.pooled")
    interval = pooled.mark_rule(strokeWidth=3, color=PALETTE[0]).encode(
        y=y, x="tvd_low:Q", x2="tvd_high:Q"
    )
    seeds = base.mark_point(filled=True, size=25, opacity=0.5, color="#444").encode(
        y=y, x=x, tooltip=tooltip
    )
    mean = pooled.mark_point(filled=True, size=90, opacity=1, color=PALETTE[0]).encode(
        y=y, x=x, tooltip=tooltip
    )
    layers = alt.layer(interval, seeds, mean).properties(width=WIDTH, height=40 * len(last))
    return finish(layers, SEEDS_AND_INTERVAL)
