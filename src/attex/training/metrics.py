"""How good a model is at its task."""

import numpy as np
from torch import Tensor

from attex.foundations.divergences import distribution


def classification_metrics(logits: Tensor, labels: Tensor) -> dict[str, float]:
    """Score logits [N,O] against labels [N]: accuracy, macro F1 and ROC-AUC.

    F1 is the mean over classes that a text has or was given: of the words that could answer a question
    most never do. ROC-AUC is undefined if a class has no text.
    """
    outputs, gold = _outputs(logits, labels)
    return {
        "accuracy": float((outputs.argmax(axis=1) == gold).mean()),
        "f1": float(np.nanmean(class_f1(logits, labels))),
        "roc_auc": float(np.mean([roc_auc(outputs[:, c], gold == c) for c in _ranked(logits)])),
    }


def class_f1(logits: Tensor, labels: Tensor) -> list[float]:
    """Score the decisions of logits [N,O] for each class by F1; NaN where there is nothing to score."""
    outputs, gold = _outputs(logits, labels)
    predicted = outputs.argmax(axis=1)
    return [_f1(predicted == c, gold == c) for c in range(outputs.shape[1])]


def precision_recall_area(logits: Tensor, labels: Tensor) -> float:
    """Return the area under the precision-recall curve, trapezoids between its points.

    Of the second class of two, as Jain & Wallace's code has it; of several classes the mean over them.
    """
    outputs, gold = _outputs(logits, labels)
    return float(np.mean([_pr_area(outputs[:, c], gold == c) for c in _ranked(logits)]))


def _outputs(logits: Tensor, labels: Tensor) -> tuple[np.ndarray, np.ndarray]:
    return distribution(logits).cpu().numpy(), labels.cpu().numpy()


def _ranked(logits: Tensor) -> list[int]:
    """Name the classes whose outputs are ranked: of one logit, the second says all."""
    return [1] if logits.shape[1] == 1 else [*range(logits.shape[1])]


def _pr_area(scores: np.ndarray, positive: np.ndarray) -> float:
    if not positive.any() or np.isnan(scores).any():
        return float("nan")
    order = np.argsort(-scores, kind="stable")
    # A point of the curve for each distinct score: texts with the same one are told apart by nothing.
    last = np.append(np.diff(scores[order]) != 0, True)
    found = np.cumsum(positive[order])[last]
    precision = np.append(1.0, found / (np.flatnonzero(last) + 1))
    recall = np.append(0.0, found / positive.sum())
    return float((np.diff(recall) * (precision[1:] + precision[:-1]) / 2).sum())


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
    either = predicted.sum() + gold.sum()
    return float(2 * (predicted & gold).sum() / either) if either else float("nan")
