"""Layers of self-attention taken apart: what positions give to each other, and what comes of it."""

from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import Tensor, nn


class StackedLayer(nn.Module, ABC):
    """A layer of self-attention that works on each position alone once its heads have mixed."""

    @abstractmethod
    def finish(self, mixed: Tensor, inputs: Tensor) -> Tensor:
        """Return the states that leave the layer, from what its heads have mixed for them.

        mixed [R,…,H,d], inputs [R,…,m], the states that came in at the same positions → [R,…,m].
        """


@dataclass(frozen=True)
class LayerParts:
    """One layer over some texts.

    weights α [B,H,T,T], of each position (the first T) to each, in every head; inputs [B,T,m]; values
    [B,T,H,d]; output W [m,H·d] maps what the heads mix to the attention's output. With f(x_j) = W v_j,
    head by head, the attention gives Σ_j Σ_h α f(x_j) + b at each position.
    """

    weights: Tensor
    inputs: Tensor
    values: Tensor
    output: Tensor
    layer: StackedLayer

    def mixed(self) -> Tensor:
        """What the heads mix for every position: [B,T,H,d]."""
        return torch.einsum("bhij,bjhd->bihd", self.weights, self.values)

    def shares(self, texts: Tensor, positions: Tensor) -> Tensor:
        """Return what each position gives to the mix of chosen ones, each [R]: [R,T,H,d]."""
        weights = self.weights[texts, :, positions]
        return weights.mT[..., None] * self.values[texts]

    def precise(self) -> StackedLayer:
        """Return the layer in float64, which tells apart what it makes of mixes that hardly differ."""
        return deepcopy(self.layer).double()
