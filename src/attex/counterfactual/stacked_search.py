"""The row of a marker that differs most in the last layer while the output stays."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from attex.counterfactual.climb import Aim, Climb, Rows
from attex.counterfactual.stacked import ReadLayer
from attex.foundations.divergences import jensen_shannon
from attex.foundations.draws import normals
from attex.foundations.memory import budget_on, spans
from attex.foundations.progress import steps as parts

_BYTES_PER_WEIGHT = 80
_STATES_KEPT = 40
"""Hidden-sized rows that a gradient needs kept of a candidate on its way through a layer and a head."""
_NOISE, _PATIENCE, _RATE, _PENALTY = 3.0, 250, 0.01, 500.0
"""As in `adversarial_search`, where each can be chosen."""


class SearchedRows(NamedTuple):
    """jsd [B] of the weights [B,H,T] that were found, and the most [B] that any weights have."""

    jsd: Tensor
    most: Tensor
    weights: Tensor


@torch.no_grad()
def search_rows(
    layer: ReadLayer,
    *,
    epsilon: float = 0.01,
    candidates: int = 5,
    steps: int = 500,
    seed: int = 0,
) -> SearchedRows:
    """Search for rows far from the marker's own, in all heads, that leave the output within ε.

    As `adversarial_search`, with a row for each head of the last layer. A candidate keeps the weight
    that each head has for markers where it is, and spreads that for the pieces of words by a softmax.
    JSD is that of the rows, the mean over heads, in nats: at most ln 2 times the weight that words have.
    The answer is the largest of a candidate at any step with TVD ≤ ε, and 0 where there is none. `most`
    is what it is without regard to the output: all that words have lies on the piece with the least.
    In float64; NaN for a text without a word. Raises `ValueError` where more than one row is read.
    """
    texts, heads, rows, length = layer.weights.shape
    if rows != 1:
        raise ValueError("only a row that is read alone can be searched for")
    weights, words = layer.weights[:, :, 0].double(), layer.batch.scorable
    share = (weights * words[:, None]).sum(dim=-1)
    aim = Aim(epsilon, _PENALTY, 1 / (candidates * max(1, candidates - 1)), l1=False, accept=epsilon)
    found = weights.clone()
    size = candidates * (heads * length * _BYTES_PER_WEIGHT + 4 * _STATES_KEPT * layer.inputs.shape[-1])
    for span in parts([*spans(texts, size, budget_on(words.device))]):
        part = layer.of(torch.arange(span.start, span.stop, device=words.device))
        drawn = normals(part.batch.ids, words[span], candidates * heads, seed)
        start = _NOISE * drawn.view(len(drawn), candidates, heads, length).transpose(1, 2)
        values = part.values.transpose(1, 2)
        given = Rows(weights[span], words[span], share[span], values, _logits(part), dear=True)
        found[span] = Climb(given, start, aim).run(steps, _RATE, True, _PATIENCE)
    known = words.any(dim=1)
    jsd, most = (
        jensen_shannon(others, weights).mean(dim=1).where(known, float("nan"))
        for others in (found, _furthest(weights, share, words))
    )
    return SearchedRows(jsd, most, found)


def _logits(layer: ReadLayer) -> Callable[[Tensor, Tensor], Tensor]:
    """Let a climb go on from what heads have mixed: [N,H,d], texts [N] → [N,O]."""
    return lambda mixed, texts: layer.logits(mixed[:, None, None], texts)[:, 0]


def _furthest(weights: Tensor, share: Tensor, words: Tensor) -> Tensor:
    """Put what words have in each head [B,H] on the piece with the least of it: [B,H,T]."""
    least = weights.masked_fill(~words[:, None], torch.inf).argmin(dim=-1, keepdim=True)
    return weights.masked_fill(words[:, None], 0.0).scatter_add(-1, least, share[..., None])
