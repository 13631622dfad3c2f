"""Other attentions for the same hidden states: permuted, searched, exact, erased."""

from attex.counterfactual.exact import adversarial_exact
from attex.counterfactual.permutation import permute
from attex.counterfactual.search import adversarial_search

__all__ = ["adversarial_exact", "adversarial_search", "permute"]
