"""Importance read off stacked self-attention: layers multiplied, vectors weighed, values zeroed."""

import itertools
from typing import Annotated

import torch
from torch import Tensor
from torch.nn.functional import normalize

from attex.data.batch import Batch
from attex.foundations.memory import Budget
from attex.foundations.registry import RUNTIME
from attex.importance.measure import MEASURES, by_word, only_scorable, tied
from attex.importance.stacked import Layer, one_layer, rows, texts_in_pieces
from attex.models.classifier import AttentionModel
from attex.models.layers import LayerParts

_ROWS_OF_A_LAYER = 24
"""Hidden-sized rows of float64 that finishing a layer makes of a position."""


@MEASURES.register("attention_rollout", cite="Abnar & Zuidema 2020", needs="layers")
@torch.no_grad()
def attention_rollout(
    model: AttentionModel, batch: Batch, *, budget: Annotated[Budget | None, RUNTIME] = None
) -> Tensor:
    """Attention followed down through all layers: r · Â_L · … · Â_1, with Â = ½A + ½I.

    (model, batch) → [B,T], NaN where a position is not scorable. A [T,T] is a layer's self-attention,
    the mean of its heads, and I stands for the residual connection. r [T] is what the output reads of
    the last states: 1 at the marker that a classifier reads, so that its row of the product is left; the
    weights α where our attention stands on top, so that the rows are averaged by it. A word has the sum
    of its pieces. What ends at markers is not shared out, so that a text may have less than 1 in all.
    `budget` is the memory in bytes that some texts may take; it changes no score.
    """

    def followed(texts: Batch, memory: int) -> Tensor:
        # From the top a vector is multiplied, from below it would be a matrix: so all layers are kept.
        layers = [parts.weights.mean(dim=1).double() for parts in model.layer_parts(texts)]
        reading = model.reading(texts).double()
        for weights in reversed(layers):
            reading = (reading + _followed(reading, weights)) / 2
        return reading

    return texts_in_pieces(model, batch, "attention_rollout", followed, budget=budget)


@MEASURES.register("attention_norm", cite="Kobayashi et al. 2020", needs="layers", needs_if=("layer",))
@torch.no_grad()
def attention_norm(
    model: AttentionModel,
    batch: Batch,
    *,
    layer: Layer | None = None,
    budget: Annotated[Budget | None, RUNTIME] = None,
) -> Tensor:
    """The length of what attention takes from a position: ‖α_t h_t‖₂, or ‖Σ_heads α f(x_t)‖₂ in layers.

    (model, batch) → [B,T], NaN where a position is not scorable. A large weight on a short vector moves
    little. Where our attention reads the states h of an encoder, whichever that is, it is ‖α_t h_t‖. A
    classifier that reads a marker, and any model with `layer` (counted from 0), has it of a layer of
    self-attention, the last unless said: Σ_i r_i ‖Σ_h α_it f(x_t)‖, where f is the head's value and
    output projection, and r what is read of the states i: 1 at the marker, or α. A word has the sum of
    the norms of its pieces. `budget` as for `attention_rollout`.

    Example:
        Weights ¼ and ¾, and hidden states (0, 4) and (ln 3, 0):

        >>> from math import log
        >>> from attex.importance import attention_norm
        >>> from attex.testing import model_by_hand
        >>> model, batch = model_by_hand(energies=[0, log(3)], logits=[4, 0])
        >>> attention_norm(model, batch)
        tensor([[1.0000, 0.8240]], dtype=torch.float64)
    """
    if layer is None and model.has_readout:
        trace = model(batch)
        norms = trace.attention.double() * torch.linalg.vector_norm(trace.hidden.double(), dim=-1)
        return only_scorable(by_word(tied(norms, model, trace.attention, batch), batch), batch)

    def taken(texts: Batch, memory: int) -> Tensor:
        parts, reading = one_layer(model, texts, layer), model.reading(texts).double()
        # What each row takes of each position, in heads and put together.
        bytes_each = 3 * parts.inputs[0].numel() * parts.inputs.element_size()
        norms = torch.zeros_like(reading)
        for text, position in rows(reading, bytes_each, memory):
            vectors = parts.shares(text, position).flatten(-2) @ parts.output.T
            lengths = torch.linalg.vector_norm(vectors, dim=-1).double()
            norms.index_add_(0, text, reading[text, position, None] * lengths)
        return norms

    return texts_in_pieces(model, batch, "attention_norm", taken, layer, budget=budget)


@MEASURES.register("value_zeroing", cite="Mohebbi et al. 2023", needs="layers")
@torch.no_grad()
def value_zeroing(
    model: AttentionModel,
    batch: Batch,
    *,
    layer: Layer | None = None,
    rollout: bool = False,
    budget: Annotated[Budget | None, RUNTIME] = None,
) -> Tensor:
    """How far states turn when a position's value is 0: C_it = 1 − cos(x_i, x_i without v_t), as shares.

    (model, batch) → [B,T], NaN where a position is not scorable. x_i is the state that leaves the layer
    at position i. The value vectors of position t are zero in all heads, and nothing else changes; so
    residual connection and feed-forward step have their say, too. Rows are divided by their sums, and
    the score is Σ_i r_i C_it, with r what is read of the states: 1 at the marker that a classifier
    reads, or the weights α of our attention. That is done in one `layer`, the last unless said (counted
    from 0). With `rollout` it is r · C_L · … · C_1, from that layer down: C has the residual connection
    in it, and none is added. A word has the sum of its pieces. Undefined (NaN) where no value matters.
    `budget` as for `attention_rollout`.
    """

    def turned(texts: Batch, memory: int) -> Tensor:
        reading = model.reading(texts).double()
        if not rollout:
            return _followed(reading, _turns(one_layer(model, texts, layer), reading, memory))
        layers = itertools.islice(model.layer_parts(texts), None if layer is None else layer + 1)
        for matrix in reversed([_turns(parts, texts.mask, memory) for parts in layers]):
            reading = _followed(reading, matrix)
        return reading

    return texts_in_pieces(model, batch, "value_zeroing", turned, layer, budget=budget)


def _turns(parts: LayerParts, wanted: Tensor, memory: int) -> Tensor:
    """Return how far the states that are wanted [B,T] turn without each value, as shares: [B,T,T]."""
    layer, mixed, length = parts.precise(), parts.mixed().double(), wanted.shape[1]
    turns = mixed.new_zeros(*wanted.shape, length)
    bytes_each = 8 * length * _ROWS_OF_A_LAYER * parts.inputs.shape[-1]
    for text, position in rows(wanted, bytes_each, memory):
        shares = parts.shares(text, position).double()
        whole, inputs = mixed[text, position], parts.inputs[text, position].double()
        own = layer.finish(whole, inputs)
        without = layer.finish(whole[:, None] - shares, inputs[:, None].expand(-1, length, -1))
        # Half the squared distance of directions is 1 − cos, and rounds to 0 last.
        apart = (normalize(without, dim=-1) - normalize(own, dim=-1)[:, None]).square().sum(dim=-1) / 2
        # A value that nobody looks at turns nothing: rounding would tell such positions apart.
        apart = apart.masked_fill((shares == 0).flatten(-2).all(dim=-1), 0.0)
        turns[text, position] = apart / apart.sum(dim=-1, keepdim=True)
    return turns


def _followed(reading: Tensor, matrix: Tensor) -> Tensor:
    """Average the rows of a matrix by what is read of them: [B,T], [B,T,T] → [B,T]."""
    return torch.einsum("bi,bij->bj", reading, matrix)
