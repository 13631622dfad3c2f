"""Gradients of every state of the last Transformer layer with respect to what went into it.

Behind its attention a layer works on each position alone, and of the attention state p has one row.
So the gradient at position j is a combination of two vectors of p, with two numbers of the pair as
factors: w_pj, and the slope of p's energies at j. No pair needs a product of its own.
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


class LastLayer:
    """The last layer and the normalisation behind it, with u_pᵀ ∂h_p/∂(input) at hand for every p.

    states [B,T,m] went into the layer; directions u [B,T,m]; mask [B,T].
    """

    def __init__(
        self, layer: Layer, norm: nn.LayerNorm, states: Tensor, mask: Tensor, directions: Tensor
    ) -> None:
        size, length, width = states.shape
        self._normalised, self._scale = _normalise(layer.before_attention, states)
        inner = self._normalised * layer.before_attention.weight + layer.before_attention.bias
        mixed = layer.queries_keys_values(inner).view(size, length, 3, layer.heads, -1)
        queries, keys, values = mixed.permute(2, 0, 3, 1, 4)
        root = math.sqrt(queries.shape[-1])
        with torch.enable_grad():
            energies = (queries @ keys.mT / root).requires_grad_()
            self._weights = layer.project(energies, mask[:, None, None, :].expand_as(energies))
            attended = (self._weights.detach() @ values).transpose(1, 2).reshape(states.shape)
            after = (states + layer.output(attended)).detach().requires_grad_()
            hidden = norm(after + layer.feed(layer.before_feed(after)))
            (self._beside,) = torch.autograd.grad(hidden, after, directions)
            # What the output of each head is worth to its own state: [B,heads,T,d].
            worth = (self._beside @ layer.output.weight).view(size, length, layer.heads, -1)
            worth = worth.transpose(1, 2)
            (slopes,) = torch.autograd.grad(self._weights, energies, worth @ values.mT)
        self._weights, self._slopes = self._weights.detach(), slopes / root
        # By part, head and output: [3,heads,d,m], with the scale of the normalisation in it.
        split = layer.queries_keys_values.weight.view(3, layer.heads, -1, width)
        of_query, of_key, of_value = split * layer.before_attention.weight
        self._by_weight = torch.einsum("bhpd,hdm->bhpm", worth, of_value)
        self._by_slope = torch.einsum("bhpd,hdm->bhpm", queries, of_key)
        self._own = torch.einsum("bhpd,hdm->bpm", self._slopes @ keys, of_query)

    def gradients(self, p: int) -> Tensor:
        """Return u_pᵀ ∂h_p/∂(states): [B,T,m]."""
        given = torch.einsum("bhj,bhm->bjm", self._weights[:, :, p], self._by_weight[:, :, p])
        given += torch.einsum("bhj,bhm->bjm", self._slopes[:, :, p], self._by_slope[:, :, p])
        given[:, p] += self._own[:, p]
        along = (given * self._normalised).mean(dim=-1, keepdim=True)
        given = (given - given.mean(dim=-1, keepdim=True) - along * self._normalised) * self._scale
        given[:, p] += self._beside[:, p]
        return given


def _normalise(norm: nn.LayerNorm, states: Tensor) -> tuple[Tensor, Tensor]:
    """Return the states with mean 0 and variance 1, and what they were multiplied by [B,T,1]."""
    centred = states - states.mean(dim=-1, keepdim=True)
    scale = (centred.pow(2).mean(dim=-1, keepdim=True) + norm.eps).rsqrt()
    return centred * scale, scale


def narrow_factor(weight: Tensor) -> Tensor:
    """Return F with ‖F d‖ = ‖Wᵀ d‖ for weight W [m,e], and no more rows than columns: [≤m,m]."""
    if weight.shape[1] <= weight.shape[0]:
        return weight.T
    left, values, _ = torch.linalg.svd(weight.double(), full_matrices=False)
    factor: Tensor = (left * values).T
    return factor.to(weight.dtype)
