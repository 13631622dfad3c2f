"""How well scores find the tokens that are known to decide."""

import numpy as np
import torch
from torch import Tensor


def average_precision(scores: Tensor, truth: Tensor, mask: Tensor) -> Tensor:
    """The area under the precision-recall curve of a ranking: [B,T] each → [B].

    AP = mean over the true tokens i of #{true j: s_j ≥ s_i} / #{j: s_j ≥ s_i}; tokens tied with i
    rank with it. NaN without a true token or with a NaN score.
    """
    scores, broken = _plain(scores, mask)
    at_least = (scores[:, None, :] >= scores[:, :, None]) & mask[:, None, :]
    hits = (at_least & truth[:, None, :]).sum(dim=-1).double()
    precision = hits / at_least.sum(dim=-1).clamp(min=1)
    value = (precision * truth).sum(dim=1) / truth.sum(dim=1)
    return value.masked_fill(broken, float("nan"))


def precision_at_truth(scores: Tensor, truth: Tensor, mask: Tensor) -> Tensor:
    """The share of true tokens among the k highest scores, k the number of true tokens: → [B].

    Tokens tied at rank k count by the share of them that still fits, which is what breaking the
    tie at random would give on average. NaN without a true token or with a NaN score.
    """
    scores, broken = _plain(scores, mask)
    k = truth.sum(dim=1)
    ranked = scores.masked_fill(~mask, -torch.inf).sort(dim=1, descending=True).values
    edge = ranked.gather(1, (k - 1).clamp(min=0)[:, None])
    above, tied = (scores > edge) & mask, (scores == edge) & mask
    room = (k - above.sum(dim=1)) / tied.sum(dim=1).clamp(min=1).double()
    hits = (above & truth).sum(dim=1) + room * (tied & truth).sum(dim=1)
    return (hits / k).masked_fill(broken, float("nan"))


def chance_precision(true: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """What a random ranking's precision is on average: k/n."""
    return np.asarray(true / tokens)


def chance_average_precision(true: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """What a random untied ranking's average precision is on average.

    E[AP] = H_n/n + (k−1)/(n−1) · (1 − H_n/n), H_n the n-th harmonic number (Bestgen 2015).
    """
    harmonic = np.cumsum(1.0 / np.arange(1, tokens.max() + 1))[tokens - 1] / tokens
    others = np.divide(true - 1, tokens - 1, out=np.zeros(len(true)), where=tokens > 1)
    return np.asarray(harmonic + others * (1 - harmonic))


def _plain(scores: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    broken = (scores.isnan() & mask).any(dim=1)
    return scores.double().nan_to_num(0.0), broken
