"""The same states under weights that a model was not trained with: even ones, and its own, shuffled."""

from typing import NamedTuple

import torch
from torch import Tensor

from attex.foundations.divergences import jensen_shannon, total_variation
from attex.foundations.draws import permutations
from attex.foundations.memory import budget_on, spans
from attex.models.decoder import Readout

_BYTES_PER_POSITION = 72
"""What one position of one draw takes while it is drawn, weighed and compared."""


class Departure(NamedTuple):
    """What K other attentions, or models, make of B texts: logits [B,K,O], TVD [B,K] and JSD [B,K]."""

    logits: Tensor
    tvd: Tensor
    jsd: Tensor


@torch.no_grad()
def under_even_weights(readout: Readout, attention: Tensor, mask: Tensor) -> Departure:
    """Put 1/n in the place of the attention: readout, attention [B,T], mask [B,T] → K = 1.

    Example:
        All weight was on a word of logit 0, and the other has 2 ln 3: σ(0) = 0.5 becomes σ(ln 3) = 0.75.

        >>> from math import log
        >>> import torch
        >>> from attex.counterfactual.other_weights import under_even_weights
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[0, 2 * log(3)])
        >>> readout = model.readout(model.embed(batch), batch)
        >>> even = under_even_weights(readout, torch.tensor([[1.0, 0.0]]), batch.scorable)
        >>> even.tvd, even.jsd
        (tensor([[0.2500]], dtype=torch.float64), tensor([[0.2158]], dtype=torch.float64))
    """
    even = mask.double() / mask.sum(dim=1, keepdim=True).clamp(min=1)
    return _departure(readout, attention.double() * mask, even[:, None])


@torch.no_grad()
def under_shuffled_weights(
    readout: Readout, attention: Tensor, mask: Tensor, *, draws: int, seed: int = 0, ids: Tensor
) -> Departure:
    """Shuffle the attention over the counted positions: [B,T], [B,T], ids [B] → K = `draws`.

    The draws are those of `permute`.
    """
    attention = attention.double() * mask
    pieces = []
    size = draws * attention.shape[1] * _BYTES_PER_POSITION
    for span in spans(len(attention), size, budget_on(attention.device)):
        order = permutations(ids.to(mask.device)[span], mask[span], draws, seed)
        shuffled = attention[span, None].expand_as(order).gather(-1, order)
        part = Readout(readout.values[span], readout.head, readout.linear)
        pieces.append(_departure(part, attention[span], shuffled))
    return Departure(*(torch.cat(column) for column in zip(*pieces, strict=True)))


def _departure(readout: Readout, attention: Tensor, others: Tensor) -> Departure:
    """Compare K others [B,K,T] with the attention [B,T]."""
    values = readout.values
    whole = readout.decode(attention.to(values.dtype))
    logits = readout.head(others.to(values.dtype) @ values)
    return Departure(
        logits, total_variation(logits, whole[:, None]), jensen_shannon(others, attention[:, None])
    )
