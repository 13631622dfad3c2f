"""The influence of every token on every hidden state."""

from collections.abc import Iterator
from typing import Literal

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.memory import Budget, budget_on, spans
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

_SIDE_BY_SIDE = {"cpu": 4_096, "cuda": 65_536}
"""Positions that are gone back from at a time, in copies of a text for each dimension of its states."""
_DIMENSIONS = 16
"""How many dimensions of a text those are at least, where the memory is enough."""


@torch.no_grad()
def influence_on_states(
    model: AttentionModel,
    batch: Batch,
    *,
    on: Literal["magnitude", "dimensions"] = "magnitude",
    budget: Budget | None = None,
) -> Iterator[tuple[slice, Tensor]]:
    """Yield g_{h_p}(x_i) = ‖∂‖h_p‖₂/∂e_i‖₂ / Σ_k ‖∂‖h_p‖₂/∂e_k‖₂ for some texts at a time.

    Meister et al. 2021, eq. 5; the sum is over the scorable tokens. Each piece is a slice of the
    batch's texts and their influences [b,T,T], state and token, in float64: NaN where either is not
    scorable, or where no token has any influence on the state (as on the length of a state that is
    normalised). `on="dimensions"` takes the norm over the dimensions of h_p in place of the slope of its
    magnitude, ‖∂h_p/∂e_i‖_F (their App. A), at the cost of one pass for each dimension.
    """
    embedded = model.embed(batch)
    memory = budget or budget_on(embedded.device)
    if on == "magnitude":
        hidden = model.encode(embedded, batch) * batch.scorable[..., None]
        # Where states are all of one length, their slopes are rounding errors.
        hidden = hidden * model.encoder.lengths_vary
        directions = torch.nn.functional.normalize(hidden, dim=-1)
        influences = model.encoder.influences(embedded, batch.mask, directions, memory)
    else:
        influences = _over_dimensions(model.encoder, embedded, batch, memory)
    for span, values in influences:
        counts = batch.scorable[span]
        values = values.double() * counts[:, None, :]
        shares = values / values.sum(dim=-1, keepdim=True)
        both = counts[:, :, None] & counts[:, None, :]
        yield span, shares.masked_fill(~both, float("nan"))


def _over_dimensions(
    encoder: Encoder, embedded: Tensor, batch: Batch, memory: int
) -> Iterator[tuple[slice, Tensor]]:
    """Yield ‖∂h_p/∂e_i‖_F for a few texts at a time, several dimensions of the states side by side.

    Texts are cut to the longest of the few: what is computed grows with the third power of that.
    """
    floats = encoder.width + embedded.shape[-1]
    positions = min(_SIDE_BY_SIDE[embedded.device.type], memory // (embedded.element_size() * floats))
    length = embedded.shape[1]
    for span in spans(len(batch), length, positions // _DIMENSIONS):
        longest = int(batch.mask[span].sum(dim=1).max())
        mask, scorable = batch.mask[span, :longest], batch.scorable[span, :longest]
        texts, count = embedded[span, :longest], len(mask)
        squares = torch.zeros(count, length, length, dtype=torch.float64, device=embedded.device)
        for some in spans(encoder.width, count * longest, positions):
            dimensions = torch.arange(encoder.width, device=embedded.device)[some]
            # The same direction at every scorable position: [dimensions·texts,T,width].
            units = torch.nn.functional.one_hot(dimensions, encoder.width).to(embedded.dtype)
            directions = (units[:, None, None] * scorable[..., None]).flatten(0, 1)
            copies = len(dimensions)
            pieces = encoder.influences(
                texts.repeat(copies, 1, 1), mask.repeat(copies, 1), directions, memory
            )
            for rows, values in pieces:
                text = torch.arange(rows.start, rows.stop, device=embedded.device) % count
                squares[:, :longest, :longest].index_add_(0, text, values.double().square())
        yield span, squares.sqrt_()
