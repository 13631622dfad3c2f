"""How good a model is at its task."""

import numpy as np
from torch import Tensor

from attex.foundations.divergences import distribution


def classification_metrics(logits: Tensor, labels: Tensor) -> dict[str, float]:
    """Score logits [N,O] against labels [N]: accuracy, macro F1 and ROC-AUC."""
    outputs = distribution(logits).cpu().numpy()
    gold = labels.cpu().numpy()
    predicted = outputs.argmax(axis=1)
    classes = range(outputs.shape[1])
    ranked = [1] if logits.shape[1] == 1 else list(classes)
    return {
        "accuracy": float((predicted == gold).mean()),
        "f1": float(np.mean([_f1(predicted == c, gold == c) for c in classes])),
        "roc_auc": float(np.mean([roc_auc(outputs[:, c], gold == c) for c in ranked])),
    }


def roc_auc(scores: np.ndarray, positive: np.ndarray) -> float:
    """The chance that a positive outscores a negative, ties counting half (Mann & Whitney 1947).

    scores [N], positive [N] → a value in [0, 1]; NaN where a side is empty or a score NaN.
    """
    above, below = int(positive.sum()), int((~positive).sum())
    if above == 0 or below == 0:
        return float("nan")
    ranks = _ranks(scores)[positive].sum()
    return float((ranks - above * (above + 1) / 2) / (above * below))


def _ranks(scores: np.ndarray) -> np.ndarray:
    """Number scores [N] from 1 upwards, equal ones by the mean of their numbers; NaN among NaN."""
    # SciPy's own would have every process import its statistics, which takes half a second.
    _, which, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks: np.ndarray = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return np.where(np.isnan(scores).any(), np.nan, ranks)


def _f1(predicted: np.ndarray, gold: np.ndarray) -> float:
    both = (predicted & gold).sum()
    return float(2 * both / max(1, predicted.sum() + gold.sum()))
