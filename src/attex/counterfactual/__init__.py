"""Other attentions for the same hidden states: permuted, searched, exact, erased."""

from attex.counterfactual.bound import bound_of_means, frozen_bound, moved_apart
from attex.counterfactual.exact import adversarial_exact
from attex.counterfactual.permutation import permute
from attex.counterfactual.search import adversarial_search

__all__ = [
    "adversarial_exact",
    "adversarial_search",
    "bound_of_means",
    "frozen_bound",
    "moved_apart",
    "permute",
]
