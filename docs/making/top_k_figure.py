"""The figure of docs/top-k.md: what two statistics give for unrelated rankings of 20 tokens."""

from typing import Any

import altair as alt
import torch

from attex.agreement import calibrate
from attex.charts.style import PALETTE, finish
from attex.claims.ledger import published

TOKENS = 20
NAMES = {"top_k_published": "as published", "top_k": "corrected"}


def chance(statistic: str, k: int) -> float:
    """Return the mean over all pairs of rankings: exact, without ties."""
    falling = torch.arange(TOKENS, 0, -1)[None].double()
    whole = torch.ones_like(falling, dtype=torch.bool)
    return float(calibrate(statistic, falling, falling, whole, draws=1, k=k).null)


def figure() -> dict[str, Any]:
    """Draw both curves over k, and the values of the paper as a band."""
    points = [
        {"k": k, "value": round(chance(name, k), 4), "statistic": shown}
        for name, shown in NAMES.items()
        for k in range(1, TOKENS + 1)
    ]
    values = [
        claim.mean
        for claim in published(paper="neely_schouten_2020", attention="tanh")
        if claim.quantity.startswith("top_k_published(k=non_zero)")
    ]
    band = alt.Chart(alt.InlineData([{"low": min(values), "high": max(values)}]))
    x = alt.X("k:Q", scale=alt.Scale(domain=[1, TOKENS]), title="k", axis=alt.Axis(tickCount=TOKENS))
    y = alt.Y("value:Q", scale=alt.Scale(domain=[-1, 1]), title="mean for unrelated rankings")
    colour = alt.Scale(domain=list(NAMES.values()), range=PALETTE[1::-1])
    base = alt.Chart(alt.InlineData(points)).encode(
        x=x, y=y, color=alt.Color("statistic:N", scale=colour, title=None)
    )
    words = [
        {
            "k": 20,
            "value": max(values) + 0.02,
            "text": "what Neely & Schouten report, sparse tanh attention",
        }
    ]
    layers = [
        band.mark_rect(color="#e9e4d4").encode(
            y=alt.Y("low:Q", scale=alt.Scale(domain=[-1, 1])), y2="high:Q"
        ),
        alt.Chart(alt.InlineData(words))
        .mark_text(align="right", baseline="bottom", color="#7a6a3a", fontSize=12)
        .encode(x="k:Q", y="value:Q", text="text:N"),
        base.mark_line(strokeWidth=2),
        base.mark_point(filled=True, size=45, opacity=1),
    ]
    title = "Two rankings of 20 tokens that have nothing to do with each other"
    return finish(alt.layer(*layers).properties(width=560, height=300, title=title))
