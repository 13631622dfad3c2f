"""What each word alone says of the class, and attention drawn towards the words that say most."""

import numpy as np
import scipy  # Its parts, which take long, are imported where they are first used.
import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.data.corpus import SPECIALS, Corpus
from attex.foundations.errors import UserError
from attex.models.classifier import AttentionModel
from attex.models.imposed import LogOddsAttention
from attex.training.apart import jensen_shannon_from

_ACCURACY = 1e-4
"""How far from the optimum a coefficient may be."""


def check_two_classes(corpus: Corpus, what: str) -> None:
    """Raise `UserError` unless a word has one log-odds, for the second class against the first."""
    if len(corpus.classes) != 2:
        raise UserError(f"{what} needs two classes, for one log-odds a word, not {corpus.classes}")


def log_odds(corpus: Corpus, *, penalty: float = 1.0) -> Tensor:
    """Return how far each word of the vocabulary speaks for the second class: w [V] in float64.

    (w, b) = argmin Σ_i c_i ln(1 + e^{−y_i (w·x_i + b)}) + penalty/2 ‖w‖², y_i = ±1: a logistic
    regression on the training texts. x_i has 1/√m for each of the m words of the vocabulary in text i,
    however often; c_i = N/(2 n) for a class of n texts. Markers, padding, unknown words and words that
    no training text has are 0.

    x and c are as in Jain & Wallace's released code (2019); there the penalty is ‖w‖₁, whose optimum
    need not be unique, and stop words are left out, of which there is no list here.
    """
    check_two_classes(corpus, "log-odds")
    bags, sides = _bags(corpus), 2.0 * corpus.splits["train"].labels.numpy() - 1.0
    columns = bags.T.tocsr()
    ridge = np.append(np.full(corpus.vocabulary_size, penalty), 0.0)
    balance = len(sides) / 2 / np.where(sides > 0, (sides > 0).sum(), (sides < 0).sum())

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        margins = sides * (bags @ x)
        value = balance @ np.logaddexp(0.0, -margins) + ridge @ x**2 / 2
        return float(value), columns @ (-balance * sides * scipy.special.expit(-margins)) + ridge * x

    limits = {"gtol": _ACCURACY * penalty / 100, "ftol": 0.0, "maxcor": 30, "maxiter": 10_000}
    solution = scipy.optimize.minimize(
        objective, np.zeros(len(ridge)), jac=True, method="L-BFGS-B", options=limits
    )
    margins = bags @ solution.x
    curvature = balance * scipy.special.expit(margins) * scipy.special.expit(-margins)
    hessian = scipy.sparse.linalg.LinearOperator(
        (len(ridge), len(ridge)), lambda v: columns @ (curvature * (bags @ v)) + ridge * v
    )
    # The search ends where the objective's last digits do; Newton's step says how far that is from
    # the optimum, and goes there.
    step, unsolved = scipy.sparse.linalg.cg(hessian, solution.jac, rtol=1e-3)
    if unsolved or not np.abs(step).max() <= _ACCURACY:
        raise UserError(f"the log-odds of the words did not converge; try a penalty above {penalty}")
    return torch.from_numpy(solution.x - step)[:-1]


def _bags(corpus: Corpus) -> "scipy.sparse.csr_array":
    """Mark the words of every training text in a row of length 1, and the constant: [N,V+1]."""
    texts = corpus.splits["train"]
    rows = np.repeat(np.arange(len(texts)), texts.lengths.numpy())
    words = texts.words.numpy().astype(np.int64)
    known = (words >= len(SPECIALS)) & (words < corpus.vocabulary_size)
    shape = len(texts), corpus.vocabulary_size
    # Made of pairs, a matrix adds up what stands twice: each word is left with one entry.
    bags = scipy.sparse.csr_array((np.ones(known.sum()), (rows[known], words[known])), shape=shape)
    each = np.diff(bags.indptr)
    bags.data = np.repeat(1.0 / np.sqrt(np.maximum(each, 1)), each)
    return scipy.sparse.hstack([bags, scipy.sparse.csr_array(np.ones((len(texts), 1)))], format="csr")


class LogOddsPull:
    """The regulariser of Jain & Wallace's released code: mean over a batch of JSD(α, α_log-odds).

    α_log-odds is the model's `LogOddsAttention`. JSD (nats) and not KL: it is finite for sparse
    attention, whose zeros would make KL(α_log-odds ‖ α) infinite, and bounded by ln 2 for all.
    """

    def __init__(self, model: AttentionModel, corpus: Corpus, device: torch.device) -> None:
        self._guide = LogOddsAttention(model, log_odds(corpus).to(device))

    def __call__(self, attention: Tensor, batch: Batch) -> Tensor:
        """Return how far attention [B,T] is from log-odds: → [] in float64."""
        return jensen_shannon_from(attention, self._guide.impose(batch)).mean()
