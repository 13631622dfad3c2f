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
    before_attention: nn.LayerNorm
    before_feed: nn.LayerNorm
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
        after = states + layer.output(self._attention.attended)
        self._normalised, self._scale = _normalise(layer.before_feed, after)
        first, activation, second = layer.feed
        assert isinstance(first, nn.Linear)
        assert isinstance(activation, nn.ReLU)
        assert isinstance(second, nn.Linear)
        inner = first(self._normalised * layer.before_feed.weight + layer.before_feed.bias)
        self.states = after + second(activation(inner))
        self._active = (inner > 0).to(states.dtype)
        self._into_feed = _centred(first.weight * layer.before_feed.weight)
        self._out_of_feed = second.weight
        self._output = layer.output.weight

    def gradients(self, above: Tensor) -> Tensor:
        """Return what gradients with respect to `states` are at the layer's input: [B,T,m] each."""
        fed = ((above @ self._out_of_feed) * self._active) @ self._into_feed
        after = _through_normalisation(fed, self._normalised, self._scale).add_(above)
        return self._attention.gradients(after @ self._output).add_(after)


class LastLayer:
    """The last layer and the normalisation behind it, with u_pᵀ ∂h_p/∂(input) at hand for every p.

    states [B,T,m] went into the layer; directions u [B,T,m]; mask [B,T].
    """

    def __init__(
        self, layer: Layer, norm: nn.LayerNorm, states: Tensor, mask: Tensor, directions: Tensor
    ) -> None:
        self._attention = attention = _Attention(layer, states, mask)
        with torch.enable_grad():
            after = (states + layer.output(attention.attended)).detach().requires_grad_()
            hidden = norm(after + layer.feed(layer.before_feed(after)))
            (self._beside,) = torch.autograd.grad(hidden, after, directions)
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
        given = _through_normalisation(given, attention.normalised, attention.scale)
        given[:, p] += self._beside[:, p]
        return given


class _Attention:
    """The attention of a layer over its normalised input, and its derivative.

    A product with a query's or a key's matrix is made here, once for all that go back; with the
    normalisation's scale in it, and centred, as going back through the normalisation would do.
    """

    def __init__(self, layer: Layer, states: Tensor, mask: Tensor) -> None:
        self._heads = layer.heads
        self.normalised, self.scale = _normalise(layer.before_attention, states)
        inner = self.normalised * layer.before_attention.weight + layer.before_attention.bias
        parts = layer.queries_keys_values(inner).chunk(3, dim=-1)
        queries, keys, self._values = (self.by_head(part) for part in parts)
        self._root = math.sqrt(queries.shape[-1])
        with torch.enable_grad():
            self._energies = (queries @ keys.mT / self._root).requires_grad_()
            allowed = mask[:, None, None, :].expand_as(self._energies)
            self._projected = layer.project(self._energies, allowed)
        self.weights = self._projected.detach()
        self.attended = _side_by_side(self.weights @ self._values)
        # By part, head and output: [3,heads,d,m].
        matrices = _centred(layer.queries_keys_values.weight * layer.before_attention.weight)
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
        """Return the gradient at the input of the normalisation for one [B,T,m] at the outputs."""
        by_head = self.by_head(worth)
        slopes = self.slopes(by_head)
        given = _side_by_side(self.weights.mT @ by_head) @ self._into_values
        given += (slopes @ self.by_query).sum(dim=1)
        given += (slopes.mT @ self.by_key).sum(dim=1)
        return _through_normalisation(given, self.normalised, self.scale)


def _side_by_side(by_head: Tensor) -> Tensor:
    """Join the heads of [B,heads,T,d]: [B,T,m]."""
    return by_head.transpose(1, 2).flatten(2)


def _centred(weight: Tensor) -> Tensor:
    """Take the mean off every row of a matrix, so that what it gives back has none."""
    return weight - weight.mean(dim=1, keepdim=True)


def _through_normalisation(centred: Tensor, normalised: Tensor, scale: Tensor) -> Tensor:
    """Go back through a normalisation from gradients without a mean; overwrites them."""
    along = (centred * normalised).mean(dim=-1, keepdim=True)
    return centred.addcmul_(along, normalised, value=-1).mul_(scale)


def _normalise(norm: nn.LayerNorm, states: Tensor) -> tuple[Tensor, Tensor]:
    """Return the states with mean 0 and variance 1, and what they were multiplied by [B,T,1]."""
    centred = states - states.mean(dim=-1, keepdim=True)
    scale = (centred.pow(2).mean(dim=-1, keepdim=True) + norm.eps).rsqrt()
    return centred * scale, scale


def narrow_factor(weight: Tensor) -> Tensor:
    """Return F with ‖F d‖ = ‖Wᵀ d‖ for weight W [m,e], and no more rows than columns: [≤m,m]."""
    if weight.shape[1] <= weight.shape[0]:
        return weight.T
    factor: Tensor = torch.linalg.qr(weight.double().T, mode="r").R
    return factor.to(weight.dtype)
