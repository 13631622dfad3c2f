"""The figure of docs/exact-adversary.md: one made-up text, its slab and its best pair of tokens."""

from typing import Any

import altair as alt
import torch

from attex.charts.style import GREY, PALETTE, finish
from attex.counterfactual import adversarial_exact

TOKENS, EPSILON = 16, 0.02


def text() -> tuple[torch.Tensor, torch.Tensor]:
    """Make up token logits and attention."""
    generator = torch.Generator().manual_seed(11)
    logits = torch.randn(TOKENS, generator=generator).double() * 1.6
    attention = torch.randn(TOKENS, generator=generator).double().mul(1.3).softmax(dim=0)
    return logits, attention


def figure() -> dict[str, Any]:
    """Draw tokens by logit and attention, the slab as a band, and the two that are chosen."""
    s, a = text()
    everything = torch.ones(1, TOKENS, dtype=torch.bool)
    jsd, found = adversarial_exact(s[None], a[None], everything, 0.0, EPSILON)
    centre = float(s @ a)
    p = 1 / (1 + 2.718281828459045 ** (-centre))
    low, high = (float(torch.tensor(x).logit()) for x in (p - EPSILON, p + EPSILON))
    tokens = [
        {
            "s": float(x),
            "a": float(y),
            "what": "chosen" if w > 0 else "token",
            "weight": f"{float(w):.2f}",
        }
        for x, y, w in zip(s, a, found[0], strict=True)
    ]
    chosen = [token for token in tokens if token["what"] == "chosen"]
    x = alt.X("s:Q", title="token logit s", scale=alt.Scale(nice=False, padding=14))
    y = alt.Y("a:Q", title="attention α")
    band = alt.Chart(alt.InlineData([{"low": low, "high": high}]))
    colour = alt.Scale(domain=["token", "chosen"], range=[GREY, PALETTE[1]])
    base = alt.Chart(alt.InlineData(tokens)).encode(x=x, y=y)
    words = [
        {"s": high, "a": 1.12 * max(t["a"] for t in tokens), "text": " output within ε of the model's"},
        {"s": centre, "a": -0.012, "text": "s·α"},
    ]
    layers = [
        band.mark_rect(color="#dfe5f7").encode(x=alt.X("low:Q", title="token logit s"), x2="high:Q"),
        alt.Chart(alt.InlineData([{"s": centre}]))
        .mark_rule(color=PALETTE[0], strokeDash=[4, 3])
        .encode(x="s:Q"),
        alt.Chart(alt.InlineData(chosen)).mark_line(color=PALETTE[1], strokeWidth=2).encode(x=x, y=y),
        base.mark_point(filled=True, size=110, opacity=1).encode(
            color=alt.Color("what:N", scale=colour, legend=None)
        ),
        base.transform_filter("datum.what == 'chosen'")
        .mark_text(dy=-16, color=PALETTE[1], fontSize=13, fontWeight=600)
        .encode(text="weight:N"),
        alt.Chart(alt.InlineData(words))
        .mark_text(align="left", baseline="top", color=PALETTE[0], fontSize=12)
        .encode(x="s:Q", y="a:Q", text="text:N"),
    ]
    title = f"All weight on two tokens: JSD {float(jsd):.3f} of at most 0.693, output moved by ε"
    return finish(alt.layer(*layers).properties(width=560, height=280, title=title))
