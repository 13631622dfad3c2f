"""Other weights inside a layer of self-attention, with all that is below and beside them fixed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from attex.counterfactual.erasing import decision
from attex.data.batch import Batch
from attex.foundations.divergences import total_variation
from attex.foundations.draws import permutations
from attex.foundations.memory import budget_on, spans
from attex.models.classifier import AttentionModel
from attex.models.layers import StackedLayer

_STATES_MADE = 24
"""Hidden-sized rows that are made of a position on the way through a layer."""
_WEIGHTS_MADE = 6
"""Text-sized rows that a head makes of a position: weights, others, and those of a layer above."""


@dataclass(frozen=True)
class ReadLayer:
    """A layer of some texts, as far as the output is made of it.

    weights α [B,H,R,T] of the R positions whose states are read on, values [B,T,H,d], inputs [B,R,m].
    R is T; but 1, the first marker, in the last layer of a classifier that reads nothing else: then
    other weights cost one position of one layer, and not a pass through the model. `number` counts
    layers from 0.
    """

    model: AttentionModel
    batch: Batch
    number: int
    layer: StackedLayer
    weights: Tensor
    values: Tensor
    inputs: Tensor

    def mixed(self, weights: Tensor) -> Tensor:
        """Mix the values by K other weights: [B,K,H,R,T] → [B,K,R,H,d]."""
        return torch.einsum("bkhrt,bthd->bkrhd", weights, self.values)

    def logits(self, mixed: Tensor, texts: Tensor | None = None) -> Tensor:
        """Go on from what the heads have mixed: [B,K,R,H,d] → [B,K,O]; or of some texts [b] alone."""
        if texts is None:
            texts = torch.arange(len(self.inputs), device=mixed.device)
        others = mixed.shape[1]
        states = self.layer.finish(mixed, self.inputs[texts, None].expand(-1, others, -1, -1))
        batch = self.batch.take(texts.repeat_interleave(others))
        logits = self.model.after_layer(self.number, states.flatten(0, 1), batch)
        return logits.view(len(texts), others, -1)

    def of(self, texts: Tensor) -> "ReadLayer":
        """Return the same of some texts [b]."""
        return replace(
            self,
            batch=self.batch.take(texts),
            weights=self.weights[texts],
            values=self.values[texts],
            inputs=self.inputs[texts],
        )


def read_layers(model: AttentionModel, batch: Batch) -> Iterator[ReadLayer]:
    """Yield the layers of self-attention of these texts, the first one first."""
    last = model.encoder.layer_count - 1
    for number, parts in enumerate(model.layer_parts(batch)):
        read = slice(0, 1) if number == last and reads_marker(model) else slice(None)
        weights, inputs = parts.weights[:, :, read], parts.inputs[:, read]
        yield ReadLayer(model, batch, number, parts.layer, weights, parts.values, inputs)


def reads_marker(model: AttentionModel) -> bool:
    """Say whether the output is read off one state of the last layer, that of the first marker."""
    return bool(model.encoder.layer_count) and not model.has_readout


class Moved(NamedTuple):
    """What other weights make of B texts, in all heads at once (first) and in each head alone.

    tvd [B,1+H] of the output from the model's own, and flips [B,1+H], 1 where the decision is another:
    means over the draws, in float64. NaN for a text without a word, which has nothing to move. Both are
    [B,1] where heads are not looked at one by one.
    """

    tvd: Tensor
    flips: Tensor


@torch.no_grad()
def under_permuted(layer: ReadLayer, *, draws: int = 1, seed: int = 0, heads: bool = True) -> Moved:
    """Let the pieces of words change places, in all rows and heads alike.

    One permutation of a text moves the same pieces in every head, and what rows have for markers stays
    where it is. Draws are those of `permute`: a hash of (seed, text id, draw, position).
    """

    def permuted(part: ReadLayer) -> Tensor:
        order = permutations(part.batch.ids, part.batch.scorable, draws, seed)[:, :, None, None]
        weights = part.weights[:, None].expand(-1, draws, -1, -1, -1)
        return weights.gather(-1, order.expand_as(weights))

    return _moved(layer, permuted, draws, heads)


@torch.no_grad()
def under_even(layer: ReadLayer, *, heads: bool = True) -> Moved:
    """Spread what each row of a head has for the pieces of words evenly over them."""

    def even(part: ReadLayer) -> Tensor:
        words = part.batch.scorable[:, None, None]
        share = (part.weights * words).sum(dim=-1, keepdim=True)
        return torch.where(words, share / words.sum(dim=-1, keepdim=True), part.weights)[:, None]

    return _moved(layer, even, 1, heads)


@torch.no_grad()
def without_heads(layer: ReadLayer, *, heads: bool = True) -> Moved:
    """Let all heads, or one, give nothing: their weights are 0, and no others make up for it."""
    return _moved(layer, lambda part: torch.zeros_like(part.weights)[:, None], 1, heads)


def _moved(layer: ReadLayer, others: Callable[[ReadLayer], Tensor], draws: int, heads: bool) -> Moved:
    """Compare the outputs under `draws` other weights [b,draws,H,R,T] of some texts with their own."""
    texts, count, rows, length = layer.weights.shape
    device = layer.weights.device
    every = torch.ones(1, count, dtype=torch.bool, device=device)
    changed = torch.cat([every, torch.eye(count, dtype=torch.bool, device=device)[: count * heads]])
    # Single rows are worth computing by the hundred only; of whole layers one is enough at a time.
    groups = [changed] if rows == 1 else [*changed[:, None]]
    floats = _STATES_MADE * layer.inputs.shape[-1] + _WEIGHTS_MADE * count * length
    each = 4 * len(groups[0]) * draws * rows * floats
    pieces = []
    for span in spans(texts, each, budget_on(device)):
        part = layer.of(torch.arange(span.start, span.stop, device=device))
        own, other = part.mixed(part.weights[:, None]), part.mixed(others(part))
        whole = part.logits(own)
        moved = torch.cat([_compared(part, own, other, group, whole) for group in groups], dim=-1)
        pieces.append(moved.masked_fill(~part.batch.scorable.any(dim=1)[:, None], float("nan")))
    return Moved(*torch.cat(pieces, dim=1))


def _compared(part: ReadLayer, own: Tensor, other: Tensor, changed: Tensor, whole: Tensor) -> Tensor:
    """Take some heads' mix [b,K,R,H,d] from `other`, as each row of changed [G,H] says: → [2,b,G].

    Returns the mean over K of the TVD from the whole logits [b,1,O], and the share of other decisions.
    """
    mixed = torch.where(changed[:, None, None, :, None], other[:, None], own[:, None])
    logits = part.logits(mixed.flatten(1, 2))
    flips = (decision(logits) != decision(whole)).double()
    both = torch.stack([total_variation(logits, whole), flips])
    return both.view(*both.shape[:2], *mixed.shape[1:3]).mean(dim=-1)
