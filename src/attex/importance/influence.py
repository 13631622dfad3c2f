"""The influence of every token on every hidden state."""

from collections.abc import Iterable, Iterator
from typing import Literal

import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.memory import Budget, budget_on
from attex.models.classifier import AttentionModel


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
    hidden = model.encode(embedded, batch) * batch.scorable[..., None]
    memory = budget or budget_on(embedded.device)

    def norms(directions: Tensor) -> Iterator[tuple[slice, Tensor]]:
        return model.encoder.influences(embedded, batch.mask, directions, memory)

    if on == "magnitude":
        # Where states are all of one length, their slopes are rounding errors.
        hidden = hidden * model.encoder.lengths_vary
        influences = norms(torch.nn.functional.normalize(hidden, dim=-1))
    else:
        influences = _over_dimensions(norms(one) for one in _dimensions(hidden, batch))
    for span, values in influences:
        counts = batch.scorable[span]
        values = values.double() * counts[:, None, :]
        shares = values / values.sum(dim=-1, keepdim=True)
        both = counts[:, :, None] & counts[:, None, :]
        yield span, shares.masked_fill(~both, float("nan"))


def _dimensions(hidden: Tensor, batch: Batch) -> Iterator[Tensor]:
    """One direction for each dimension of the states, the same at every scorable position."""
    for dimension in range(hidden.shape[-1]):
        direction = torch.zeros_like(hidden)
        direction[..., dimension] = batch.scorable.to(hidden.dtype)
        yield direction


def _over_dimensions(passes: Iterable[Iterator[tuple[slice, Tensor]]]) -> Iterator[tuple[slice, Tensor]]:
    """Take the Euclidean norm over passes that are cut alike."""
    spans: list[slice] = []
    squares: list[Tensor] = []
    for number, pieces in enumerate(passes):
        for place, (span, values) in enumerate(pieces):
            if number == 0:
                spans.append(span)
                squares.append(torch.zeros_like(values, dtype=torch.float64))
            squares[place].addcmul_(values.double(), values.double())
    for span, total in zip(spans, squares, strict=True):
        yield span, total.sqrt_()
