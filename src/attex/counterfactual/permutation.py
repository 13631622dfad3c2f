"""The same weights on other words."""

import torch
from torch import Tensor

from attex.foundations.divergences import total_variation
from attex.foundations.draws import permutations
from attex.foundations.memory import budget_on, spans
from attex.models.decoder import Readout

_BYTES_PER_POSITION = 48
"""What one position of one draw takes while it is drawn and weighed."""


@torch.no_grad()
def permute(
    readout: Readout,
    attention: Tensor,
    mask: Tensor,
    *,
    draws: int = 100,
    seed: int = 0,
    ids: Tensor | None = None,
) -> Tensor:
    """Shuffle the attention over the counted positions and measure what that does to the output.

    Δŷ = TVD(ŷ(α′), ŷ(α)) for `draws` permutations α′ of α, hidden states fixed (Jain & Wallace 2019,
    Alg. 2, who report the median of a text's draws). readout, attention [B,T], mask [B,T] →
    [B,draws] in float64; NaN for a text without a counted position. Draws are a hash of (seed,
    text id, draw, position); without `ids` [B] the texts are numbered.

    Args:
        readout: what the output depends on.
        attention: the model's own, [B,T].
        mask: the positions to shuffle, [B,T].
        draws: permutations of each text.
        seed: where the draws start.
        ids: a number for each text, [B].

    Example:
        Two words and all weight on the first: a permutation keeps σ(0) = 0.5 or gives σ(2 ln 3) = 0.9.

        >>> from math import log
        >>> import torch
        >>> from attex.counterfactual import permute
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, 0], logits=[0, 2 * log(3)])
        >>> readout = model.readout(model.embed(batch), batch)
        >>> change = permute(readout, attention=torch.tensor([[1.0, 0.0]]), mask=batch.mask)
        >>> change.shape, sorted({abs(round(x, 4)) for x in change[0].tolist()})
        (torch.Size([1, 100]), [0.0, 0.4])
    """
    if ids is None:
        ids = torch.arange(len(attention))
    values = readout.values
    attention = attention.to(values.dtype) * mask
    whole = readout.decode(attention)
    pieces = [torch.empty(0, draws, dtype=torch.float64, device=values.device)]
    size = draws * attention.shape[1] * _BYTES_PER_POSITION
    for span in spans(len(attention), size, budget_on(values.device)):
        order = permutations(ids.to(mask.device)[span], mask[span], draws, seed)
        shuffled = attention[span, None].expand_as(order).gather(-1, order)
        logits = readout.of(span, values[span]).logits(shuffled @ values[span])
        pieces.append(total_variation(logits, whole[span, None]))
    return torch.cat(pieces).masked_fill(~mask.any(dim=1, keepdim=True), float("nan"))
