"""What a number is of: names that mean the same, and how exact a number of this kind has to be."""

import functools
import math
import re
from collections.abc import Iterator

from attex.analyses.headline import OVERALL as OVERALL
from attex.charts.frontier import LN_2

_SHARES_OF_RIGHT_ANSWERS = ("accuracy", "development_accuracy", "f1", "f1_macro", "roc_auc", "pr_auc")
_SHARES = (
    *(*_SHARES_OF_RIGHT_ANSWERS, "auprc", "precision_at_k", "confidence", "same_decision", "tvd"),
    *("entropy", "impermissible_mass", "median_output_change", "own_share", "beyond_bound"),
    *("impermissible_share", "impermissible_share_of_tokens", "jaccard_at_k"),
)
_AGREEMENTS = (
    *("kendall_tau", "weighted_tau", "tau_ap", "spearman", "pearson"),
    *("top_k", "top_k_published", "top_k_buckets", "racu_recursive"),
)
_COUNTED = ("n_train", "n_dev", "n_test", "impermissible_share_of_tokens(test)")
_COUNT = "] n"
"""How the number of texts in a bin is called."""
WITHOUT = "without impermissible tokens"
"""Said of texts, and in the ledger of numbers, where these tokens were taken out of all texts."""
_PROJECTIONS = {"softmax_over_padding": "softmax"}


def is_counted(quantity: str) -> bool:
    """Say whether a number is a fact about texts, which no training changes."""
    return quantity in _COUNTED


def widest(quantity: str) -> float:
    """Return the half-width up to which an interval says something about a number of this kind.

    0.02 for accuracy, F1 and areas under curves; 0.1 for agreement, divergences and other shares.
    """
    return 0.02 if quantity.partition("(")[0] in _SHARES_OF_RIGHT_ANSWERS else 0.1


def limits(quantity: str, signed: bool = False) -> tuple[float, float]:
    """Return the least and the most that a number can be or, if `signed`, that two can differ by.

    An agreement has −1 to 1, as released areas of retraining have; a share 0 to 1; a divergence 0 to
    ln 2, half of a total variation 0 to ½. All others, as a weight, λ, can be any.
    """
    kind = "" if quantity.endswith(_COUNT) else re.split(r"[(\[]", quantity, maxsplit=1)[0]
    if kind in _AGREEMENTS:
        return (-2.0, 2.0) if signed else (-1.0, 1.0)
    if kind in _SHARES:
        return -1.0 if signed else 0.0, 1.0
    most = LN_2 if kind.startswith("jsd") else 0.5 if kind == "tvd_half" else math.inf
    return -most if signed or most == math.inf else 0.0, most


def projection_of(title: str) -> str:
    """Return what papers call a projection: one that forgets the padding is a softmax to them."""
    return _PROJECTIONS.get(title, title)


def of_whole_texts(dataset: str, quantity: str) -> tuple[str, str]:
    """Return the dataset that texts without impermissible tokens are of, and the number's name there."""
    whole, without, _ = dataset.partition(f" {WITHOUT}")
    return (whole, f"{quantity}({WITHOUT})") if without else (dataset, quantity)


@functools.cache
def key_of(quantity: str) -> str:
    """Return a name that two quantities share if they mean the same.

    Options of measures are left out, `gradient(target=gold_loss)` being a gradient; those of the
    statistic stay. The order of what is compared does not matter.
    """
    head, inside, tail = _arguments(quantity)
    if inside is None:
        return quantity
    return f"{head}({', '.join(sorted(map(_without_options, _parts(inside))))}){tail}"


def _arguments(quantity: str) -> tuple[str, str | None, str]:
    """Cut a quantity at its last group of parentheses: what is before, inside and after it."""
    last = None
    for start, end in _groups(quantity):
        last = start, end
    if last is None:
        return quantity, None, ""
    return quantity[: last[0]], quantity[last[0] + 1 : last[1]], quantity[last[1] + 1 :]


def _groups(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each outermost group of parentheses starts and ends."""
    depth = start = 0
    for place, letter in enumerate(text):
        if letter == "(":
            start = place if depth == 0 else start
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                yield start, place


def _parts(inside: str) -> Iterator[str]:
    """Cut at the commas that stand in no parentheses."""
    depth = start = 0
    for place, letter in enumerate(inside):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            yield inside[start:place].strip()
            start = place + 1
    yield inside[start:].strip()


def _without_options(measure: str) -> str:
    for start, end in _groups(measure):
        if "=" in measure[start:end]:
            return measure[:start] + measure[end + 1 :]
    return measure
