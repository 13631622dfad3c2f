"""How far any attention over the same states can be from a model's own, given what the output moved.

For one logit that is linear in the attention, with all states and the readout held: nothing is bounded
where these may change, or where there are more outputs.
"""

import torch
from torch import Tensor

from attex.counterfactual.exact import adversarial_exact
from attex.data.batch import Batch
from attex.foundations.divergences import jensen_shannon, total_variation
from attex.foundations.memory import spans
from attex.models.classifier import AttentionModel

_SLACK = 1e-6
"""What rounding may have moved the output by, and not the attention."""
_STEPS = 200


@torch.no_grad()
def moved_apart(base: AttentionModel, other: AttentionModel, batch: Batch) -> tuple[Tensor, Tensor]:
    """Return TVD of the outputs and JSD of the attentions of two models: [B] each, in float64.

    The weights are worked out in float64, so that each text's sum to 1: in float32 they miss it by 1e-7,
    and so would the JSD.

    Example:
        Both attend evenly to words of logit 1 and −1; the other model has the logits 3 and −1, and so
        σ(1) in place of σ(0).

        >>> from attex.counterfactual import moved_apart
        >>> from attex.testing import model_by_hand
        >>> base, batch = model_by_hand(energies=[0, 0], logits=[1, -1])
        >>> other, _ = model_by_hand(energies=[0, 0], logits=[3, -1])
        >>> moved_apart(base, other, batch)
        (tensor([0.2311], dtype=torch.float64), tensor([0.], dtype=torch.float64))
    """
    traces = base(batch), other(batch)
    weights = (
        model.weigh(trace.energies.double(), batch)
        for model, trace in zip((base, other), traces, strict=True)
    )
    return total_variation(*(trace.logits for trace in traces)), jensen_shannon(*weights)


@torch.no_grad()
def frozen_bound(base: AttentionModel, batch: Batch, moved: Tensor | float) -> Tensor:
    """Return J(TVD + 1e-6), the most that an adversary of the base's states can differ: → [B], float64.

    J(ε) is the largest JSD(α′, α) of any α′ with |p(α′) − p(α)| ≤ ε, exactly (`adversarial_exact`).
    `moved` is the TVD of the adversary's output from the base's, a number or [B]: its JSD is at most
    what is returned. Raises `ValueError` unless the base has one logit, linear in the attention.

    Example:
        Two words of unlike logit, and an output that has not moved: the attention cannot have either.

        >>> from attex.counterfactual import frozen_bound
        >>> from attex.testing import model_by_hand
        >>> base, batch = model_by_hand(energies=[0, 0], logits=[1, -1])
        >>> bool(frozen_bound(base, batch, moved=0.0) < 1e-5)
        True
    """
    hidden = base.encode(base.embed(batch), batch)
    attention = base.weigh(base.score(hidden, batch).double(), batch)
    readout = base.readout(hidden, batch)
    if not readout.linear or readout.values.shape[-1] != 1:
        raise ValueError("only a model of two classes, with a linear decoder, has this bound")
    bias = readout.head(torch.zeros_like(readout.values[:, 0])).squeeze(-1).double()
    logits = readout.values.squeeze(-1)
    return adversarial_exact(logits, attention, batch.scorable, bias, moved + _SLACK)[0]


def bound_of_means(limits: Tensor, epsilons: Tensor, moved: Tensor) -> Tensor:
    """Bound the mean JSD of texts whose mean TVD is `moved`: limits [N,E], epsilons [E], [K] → [K].

    limits[i,k] is J_i(ε_k) of every text on a grid that rises from 0 to 1, with points between. The
    bound is the least over μ ≥ 0 of μt + mean_i max_ε (J_i(ε) − με), and not mean_i J_i(t): few J_i are
    concave, and an adversary may spend what it moves on the texts that give the most for it. Between
    two points of the grid a text is charged the lower ε and credited with the higher J: so it holds
    for all ε.

    Example:
        The first text gives 0.6 if the output moves by 0.5 or more, the second nothing ever. A mean TVD
        of 0.25 is all on the first: the mean is 0.3, though at 0.25 neither text gives anything.

        >>> import torch
        >>> from attex.counterfactual import bound_of_means
        >>> grid = torch.tensor([0.0, 0.4999, 0.5, 1.0])
        >>> limits = torch.tensor([[0.0, 0.0, 0.6, 0.6], [0.0, 0.0, 0.0, 0.0]])
        >>> bound_of_means(limits, grid, moved=torch.tensor([0.0, 0.25]))
        tensor([0.0000, 0.3000], dtype=torch.float64)
    """
    charged, credited, moved = epsilons[:-1].double(), limits[:, 1:].double(), moved.double()
    low = torch.zeros_like(moved)
    # Beyond this price of ε no text pays for the smallest step: the bound rises with μ from there on.
    high = torch.full_like(moved, 1.0 / float(charged[charged > 0].min()))

    def priced(price: Tensor) -> Tensor:
        """The bound at a price μ for each mean: any μ gives one, so that the search may be coarse."""
        taken = torch.zeros_like(price)
        for span in spans(len(credited), 8 * credited.shape[1] * len(price)):
            gains = credited[span, None] - price[:, None] * charged
            taken += gains.amax(dim=-1).sum(dim=0)
        return price * moved + taken / len(credited)

    best = torch.minimum(priced(low), priced(high))
    for _ in range(_STEPS):
        # The bound is convex in μ: the lower of two prices leaves a third of the interval behind.
        third = (high - low) / 3
        left, right = priced(low + third), priced(high - third)
        best = torch.minimum(best, torch.minimum(left, right))
        low, high = low.where(left < right, low + third), high.where(left >= right, high - third)
    return best
