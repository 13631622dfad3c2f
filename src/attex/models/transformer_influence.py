"""Gradients of every state of a Transformer with respect to what went into its layers.

Behind its attention a layer works on each position alone, and of the attention state p has one row.
So in the last layer the gradient at position j is a combination of two vectors of p, with two numbers
of the pair as factors: w_pj, and the slope of p's energies at j. No pair needs a product of its own.
The layers below are gone back through for every p, with what p does not change multiplied once; that
saves the more, the fewer heads there are.
"""

import math
from typing import Protocol

import torch
from torch import Tensor, nn

from attex.models.projection import Projection


class Layer(Protocol):
    """The parts of a layer that are taken apart here."""

    heads: int
    before_attention: nn.Module
    after_attention: nn.Module
    before_feed: nn.Module
    after_feed: nn.Module
    queries_keys_values: nn.Linear
    output: nn.Linear
    feed: nn.Sequential
    project: Projection


class InnerLayer:
    """A layer with others above it: states [B,T,m] went in, `states` came out.

    Every product with what went in is made once; going back has none with queries or keys left.
    """

    def __init__(self, layer: Layer, states: Tensor, mask: Tensor) -> None:
        self._attention = _Attention(layer, states, mask)
        summed = states + layer.output(self._attention.attended)
        self._after_attention = _normalised(layer.after_attention, summed)
        after = self._after_attention.states
        self._before_feed = _normalised(layer.before_feed, after)
        first, activation, second = layer.feed
        assert isinstance(first, nn.Linear)
        assert isinstance(activation, nn.ReLU)
        assert isinstance(second, nn.Linear)
        inner = first(self._before_feed.states)
        self._after_feed = _normalised(layer.after_feed, after + second(activation(inner)))
        self.states = self._after_feed.states
        self._active = (inner > 0).to(states.dtype)
        self._into_feed = self._before_feed.into(first.weight)
        self._out_of_feed = second.weight
        self._output = layer.output.weight

    def gradients(self, above: Tensor) -> Tensor:
        """Return what gradients with respect to `states` are at the layer's input: [B,T,m] each."""
        above = self._after_feed.back(self._after_feed.into(above))
        fed = ((above @ self._out_of_feed) * self._active) @ self._into_feed
        after = self._before_feed.back(fed).add_(above)
        after = self._after_attention.back(self._after_attention.into(after))
        return self._attention.gradients(after @ self._output).add_(after)


class LastLayer:
    """The last layer with what normalises it, and u_pᵀ ∂h_p/∂(input) at hand for every p.

    states [B,T,m] went into the layer; directions u [B,T,m]; mask [B,T].
    """

    def __init__(
        self, layer: Layer, norm: nn.Module, states: Tensor, mask: Tensor, directions: Tensor
    ) -> None:
        self._attention = attention = _Attention(layer, states, mask)
        with torch.enable_grad():
            summed = (states + layer.output(attention.attended)).detach().requires_grad_()
            after = layer.after_attention(summed)
            hidden = norm(layer.after_feed(after + layer.feed(layer.before_feed(after))))
            (self._beside,) = torch.autograd.grad(hidden, summed, directions)
        # What the output of each head is worth to its own state: [B,heads,T,d].
        worth = attention.by_head(self._beside @ layer.output.weight)
        self._slopes = attention.slopes(worth)
        self._by_weight = torch.einsum("bhpd,hdm->bhpm", worth, attention.of_value)
        self._own = (self._slopes @ attention.by_query).sum(dim=1)

    def gradients(self, p: int) -> Tensor:
        """Return u_pᵀ ∂h_p/∂(states): [B,T,m]."""
        attention = self._attention
        factors = torch.cat([attention.weights[:, :, p], self._slopes[:, :, p]], dim=1)
        vectors = torch.cat([self._by_weight[:, :, p], attention.by_key[:, :, p]], dim=1)
        given = factors.mT @ vectors
        given[:, p] += self._own[:, p]
        given = attention.before.back(given)
        given[:, p] += self._beside[:, p]
        return given


class _Attention:
    """The attention of a layer over its input, normalised or not, and its derivative.

    A product with a query's or a key's matrix is made here, once for all that go back; with the
    normalisation's scale in it, and centred, as going back through the normalisation would do.
    """

    def __init__(self, layer: Layer, states: Tensor, mask: Tensor) -> None:
        self._heads = layer.heads
        self.before = _normalised(layer.before_attention, states)
        parts = layer.queries_keys_values(self.before.states).chunk(3, dim=-1)
        queries, keys, self._values = (self.by_head(part) for part in parts)
        self._root = math.sqrt(queries.shape[-1])
        with torch.enable_grad():
            self._energies = (queries @ keys.mT / self._root).requires_grad_()
            allowed = mask[:, None, None, :].expand_as(self._energies)
            self._projected = layer.project(self._energies, allowed)
        self.weights = self._projected.detach()
        self.attended = _side_by_side(self.weights @ self._values)
        # By part, head and output: [3,heads,d,m].
        matrices = self.before.into(layer.queries_keys_values.weight)
        of_query, of_key, self.of_value = matrices.view(3, layer.heads, -1, states.shape[-1])
        self._into_values = matrices[-states.shape[-1] :]
        # What a slope of an energy gives to its query's position, of each key, and to its key's.
        self.by_query = torch.einsum("bhjd,hdm->bhjm", keys, of_query)
        self.by_key = torch.einsum("bhpd,hdm->bhpm", queries, of_key)

    def by_head(self, values: Tensor) -> Tensor:
        """Cut [B,T,m] into heads: [B,heads,T,d]."""
        return values.view(*values.shape[:2], self._heads, -1).transpose(1, 2)

    def slopes(self, worth: Tensor) -> Tensor:
        """Return the gradient at the energies [B,heads,T,T] for one [B,heads,T,d] at the outputs."""
        at_weights = worth @ self._values.mT
        (gradient,) = torch.autograd.grad(self._projected, self._energies, at_weights, retain_graph=True)
        return gradient / self._root

    def gradients(self, worth: Tensor) -> Tensor:
        """Return the gradient at the layer's input for one [B,T,m] at the outputs."""
        by_head = self.by_head(worth)
        slopes = self.slopes(by_head)
        given = _side_by_side(self.weights.mT @ by_head) @ self._into_values
        given += (slopes @ self.by_query).sum(dim=1)
        given += (slopes.mT @ self.by_key).sum(dim=1)
        return self.before.back(given)


def _side_by_side(by_head: Tensor) -> Tensor:
    """Join the heads of [B,heads,T,d]: [B,T,m]."""
    return by_head.transpose(1, 2).flatten(2)


class _Unchanged:
    """A place where nothing is normalised: `states` are what went in."""

    def __init__(self, states: Tensor) -> None:
        self.states = states

    def into(self, rows: Tensor) -> Tensor:
        """Take rows [...,m] that give gradients with respect to `states` half the way back."""
        return rows

    def back(self, halfway: Tensor) -> Tensor:
        """Take gradients the other half; overwrites them where they change."""
        return halfway


class _Normalised(_Unchanged):
    """A normalisation: `states` came out of it.

    The way back is by its scale and less the mean, which a matrix can have in it once and for all, and
    then by what depends on the state.
    """

    def __init__(self, norm: nn.LayerNorm, states: Tensor) -> None:
        centred = states - states.mean(dim=-1, keepdim=True)
        self._factor = (centred.pow(2).mean(dim=-1, keepdim=True) + norm.eps).rsqrt()
        self._unit, self._scale = centred * self._factor, norm.weight
        super().__init__(self._unit * norm.weight + norm.bias)

    def into(self, rows: Tensor) -> Tensor:
        scaled = rows * self._scale
        return scaled - scaled.mean(dim=-1, keepdim=True)

    def back(self, halfway: Tensor) -> Tensor:
        along = (halfway * self._unit).mean(dim=-1, keepdim=True)
        return halfway.addcmul_(along, self._unit, value=-1).mul_(self._factor)


def _normalised(norm: nn.Module, states: Tensor) -> _Unchanged:
    return _Normalised(norm, states) if isinstance(norm, nn.LayerNorm) else _Unchanged(states)


def narrow_factor(weight: Tensor) -> Tensor:
    """Return F with ‖F d‖ = ‖Wᵀ d‖ for weight W [m,e], and no more rows than columns: [≤m,m]."""
    if weight.shape[1] <= weight.shape[0]:
        return weight.T
    factor: Tensor = torch.linalg.qr(weight.double().T, mode="r").R
    return factor.to(weight.dtype)
