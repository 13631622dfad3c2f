"""A small Transformer encoder."""

import math
from collections.abc import Iterator
from typing import Annotated, Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from attex.foundations.errors import UserError
from attex.foundations.memory import spans
from attex.foundations.progress import steps
from attex.foundations.registry import LATER, Spec
from attex.models.attention import SOFTMAX
from attex.models.encoder import ENCODERS, Encoder, Width
from attex.models.layers import LayerParts, StackedLayer
from attex.models.projection import PROJECTIONS, Projection
from attex.models.transformer_influence import InnerLayer, LastLayer, narrow_factor

_ROWS_KEPT, _WEIGHTS_KEPT = 24, 8
"""What a gradient needs kept of a position for each layer, in hidden-sized and text-sized rows."""

_WEIGHTS_MADE = 6
"""Text-sized rows that a head makes for a position: energies, weights, and a projection's own."""


@ENCODERS.register("transformer", cite="Vaswani et al. 2017; Meister et al. 2021")
class Transformer(Encoder):
    """Stacked self-attention: x ← x + Att(LN(x)), x ← x + FF(LN(x)), h = LN(x).

    embedded [B,T,d] → hidden [B,T,hidden]. Embeddings are mapped to `hidden` and sinusoidal
    positions added; two layers of one head, all widths 128 (Meister et al. 2021), normalised
    before each step. They leave open where; with `normalised: 'after'` it is after each, as in Vaswani
    et al. 2017: x ← LN(x + Att(x)), x ← LN(x + FF(x)), h = x. `inner_projection` replaces the softmax
    of the self-attention; the attention that decides stands on top of the encoder.
    """

    def __init__(
        self,
        embedding_width: int,
        *,
        hidden: Width = 128,
        layers: Annotated[int, Field(ge=1, le=48)] = 2,
        heads: Annotated[int, Field(ge=1, le=64)] = 1,
        inner_projection: Annotated[Spec, PROJECTIONS.choice] = SOFTMAX,
        normalised: Annotated[Literal["before", "after"], LATER] = "before",
    ) -> None:
        super().__init__()
        if hidden % heads or hidden % 2:
            raise UserError(
                f"model.encoder: hidden {hidden} must be even and a multiple of heads {heads}"
            )
        self.width, self.layer_count, self.heads = hidden, layers, heads
        self.weights_per_position = _WEIGHTS_MADE * heads
        self.input = nn.Linear(embedding_width, hidden)
        norm_before = normalised == "before"
        self.stack = nn.ModuleList(
            _Layer(hidden, heads, inner_projection, norm_before) for _ in range(layers)
        )
        self.norm = nn.LayerNorm(hidden) if norm_before else nn.Identity()

    @property
    def lengths_vary(self) -> bool:
        """False while the last normalisation scales all dimensions alike: ‖h‖ is √m for any text."""
        last = self.norm if isinstance(self.norm, nn.LayerNorm) else self.stack[-1].after_feed
        assert isinstance(last, nn.LayerNorm)
        scale, shift = last.weight, last.bias
        return bool((scale != scale[0]).any() or (shift != 0).any())

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Encode, without keeping the self-attention."""
        return self.onward(self._enter(embedded), mask, -1)

    def onward(self, states: Tensor, mask: Tensor, layer: int) -> Tensor:
        """Run the layers above one; −1 stands below the first."""
        for above in self.stack[layer + 1 :]:
            states, _ = above(states, mask)
        return self._leave(states, mask)

    @torch.no_grad()
    def influences(
        self, embedded: Tensor, mask: Tensor, directions: Tensor, budget: int
    ) -> Iterator[tuple[slice, Tensor]]:
        """Take the layers apart, and go back through them for each position in turn."""
        length = embedded.shape[1]
        floats = len(self.stack) * (_ROWS_KEPT * self.width + _WEIGHTS_KEPT * self.heads * length)
        floats += 2 * (len(self.stack) + 1) * self.heads * self.width
        factor = narrow_factor(self.input.weight)
        for span in steps(spans(len(embedded), embedded.element_size() * length * floats, budget)):
            counted, wanted = mask[span], directions[span]
            states = self._enter(embedded[span])
            norms = states.new_zeros(len(states), length, length)
            below: list[InnerLayer] = []
            for layer in self.stack[:-1]:
                below.append(InnerLayer(layer, states, counted))  # type: ignore[arg-type]
                states = below[-1].states
            last = LastLayer(self.stack[-1], self.norm, states, counted, wanted)  # type: ignore[arg-type]
            for p in steps(wanted.any(dim=-1).any(dim=0).nonzero()[:, 0].tolist()):
                slope = last.gradients(p)
                for inner in reversed(below):
                    slope = inner.gradients(slope)
                norms[:, p] = torch.linalg.vector_norm(slope @ factor.T, dim=-1)
            yield span, norms

    def trace(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Encode, and keep every layer's self-attention [B,layers,heads,T,T]."""
        states = self._enter(embedded)
        weights = []
        for layer in self.stack:
            states, attended = layer(states, mask)
            weights.append(attended)
        return self._leave(states, mask), torch.stack(weights, dim=1)

    def layer_parts(self, embedded: Tensor, mask: Tensor) -> Iterator[LayerParts]:
        """Take the layers apart, one after the other."""
        states = self._enter(embedded)
        for layer in self.stack:
            assert isinstance(layer, _Layer)
            weights, values = layer.attend(states, mask)
            parts = LayerParts(weights, states, values.transpose(1, 2), layer.output.weight, layer)
            yield parts
            states = layer.finish(parts.mixed(), states)

    def _enter(self, embedded: Tensor) -> Tensor:
        entered: Tensor = self.input(embedded) + sinusoids(embedded, self.width)
        return entered

    def _leave(self, states: Tensor, mask: Tensor) -> Tensor:
        left: Tensor = self.norm(states)
        return left.masked_fill(~mask[..., None], 0.0)


class _Layer(StackedLayer):
    """One layer of self-attention and feed-forward, each with its residual.

    Either what enters a step is normalised, or the sum that leaves it; what is not, passes unchanged.
    """

    def __init__(self, hidden: int, heads: int, projection: Spec, norm_before: bool) -> None:
        super().__init__()
        self.heads = heads
        before, after = (nn.LayerNorm, nn.Identity) if norm_before else (nn.Identity, nn.LayerNorm)
        self.before_attention, self.before_feed = before(hidden), before(hidden)
        self.after_attention, self.after_feed = after(hidden), after(hidden)
        self.queries_keys_values = nn.Linear(hidden, 3 * hidden)
        self.output = nn.Linear(hidden, hidden)
        self.feed = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.project: Projection = PROJECTIONS.bind(projection)

    def forward(self, states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the new states [B,T,m] and the attention [B,heads,T,T] of each position to each."""
        weights, values = self.attend(states, mask)
        return self.finish((weights @ values).transpose(1, 2), states), weights

    def attend(self, states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the attention [B,heads,T,T] and what it mixes, the values [B,heads,T,d]."""
        size, length, _ = states.shape
        mixed = self.queries_keys_values(self.before_attention(states))
        queries, keys, values = mixed.view(size, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        energies = queries @ keys.mT / math.sqrt(queries.shape[-1])
        return self.project(energies, mask[:, None, None, :].expand_as(energies)), values

    def finish(self, mixed: Tensor, inputs: Tensor) -> Tensor:
        """Go on from what the heads have mixed."""
        states = self.after_attention(inputs + self.output(mixed.flatten(-2)))
        finished: Tensor = self.after_feed(states + self.feed(self.before_feed(states)))
        return finished


def sinusoids(embedded: Tensor, width: int) -> Tensor:
    """Sinusoids of geometrically growing wavelength, for embedded [B,T,d]: [T,m]."""
    position = torch.arange(embedded.shape[1], dtype=torch.float64, device=embedded.device)
    pair = torch.arange(0, width, 2, dtype=torch.float64, device=embedded.device)
    angles = position[:, None] * torch.exp(-math.log(10_000.0) * pair / width)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).to(embedded.dtype)
