"""The steps of each part of a model under the rescale rule; a part that is not here has none."""

import functools
import math
from dataclasses import replace
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attex.data.batch import Batch
from attex.importance.explained import Explained
from attex.importance.rescale import (
    Both,
    absolute,
    matmul,
    product,
    relu,
    row_step,
    sigmoid,
    tanh,
)
from attex.models.attention import Attention
from attex.models.attentions.additive import Additive
from attex.models.attentions.last import Last
from attex.models.attentions.linear import Linear as LinearAttention
from attex.models.attentions.scaled_dot import ScaledDot
from attex.models.classifier import AttentionModel
from attex.models.decoder import Decoder, only_candidates
from attex.models.decoders.linear import Linear as LinearDecoder
from attex.models.decoders.pair import PairDecoder
from attex.models.decoders.query import QueryDecoder
from attex.models.encoder import Encoder
from attex.models.encoders.average import Average
from attex.models.encoders.cnn import CNN
from attex.models.encoders.embedding import Embedding
from attex.models.encoders.gru import GRU
from attex.models.encoders.lstm import LSTM
from attex.models.encoders.transformer import Transformer, sinusoids
from attex.models.projection import Projection
from attex.models.reads import only_column, unchanged

_CELL = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
"""What torch calls the parameters of a recurrence."""


def without_a_rule(model: AttentionModel) -> str | None:
    """Say which part of a model has no rescale rule, if one has none."""
    parts = ((encoded, model.encoder), (finished, model.attention), (decoded, model.decoder))
    for rule, part in parts:
        if rule.dispatch(type(part)) is rule.dispatch(object):
            return f"DeepLIFT has no rule for its {type(part).__name__}"
    # Subclasses that take other steps than these have other rules.
    own = (AttentionModel.resume, AttentionModel.encode_layers, AttentionModel.score)
    if any(getattr(type(model), step.__name__) is not step for step in own):
        return f"DeepLIFT has no rule for a {type(model).__name__}"
    return None


def outputs(model: AttentionModel, embedded: Both, batch: Batch, explained: Explained) -> Both:
    """Take all steps from embeddings [B,T,d] to the number that is explained: [B]."""
    asked = model.ask(batch)
    hidden = encoded(model.encoder, embedded, batch.mask)
    energies_read, values_read = model.reads(batch, asked)
    # What is read is linear up to here; what the attention does then depends on its kind.
    inner = hidden.through(replace(energies_read, finish=unchanged))
    energies = finished(model.attention, inner)
    attention = row_step(lambda z: model.weigh(z, batch), energies)
    values = hidden.through(values_read)
    attended = matmul(attention.through(lambda a: a[:, None]), values).through(lambda c: c.squeeze(1))
    logits = decoded(model.decoder, attended).through(Tensor.double)
    if explained.target == "logit":
        return logits.through(lambda z: explained(only_candidates(z, batch.allowed)))
    if logits.text.shape[1] == 1:
        side = 2.0 * explained.chosen - 1
        return sigmoid(logits.through(lambda z: z[:, 0] * side))
    return row_step(lambda z: explained(only_candidates(z, batch.allowed)), logits)


@functools.singledispatch
def encoded(encoder: Encoder, embedded: Both, mask: Tensor) -> Both:
    """Encode embeddings [B,T,d]: → [B,T,m]."""
    raise _no_rule(encoder)


@encoded.register
def _(encoder: Embedding, embedded: Both, mask: Tensor) -> Both:
    return embedded.through(lambda x: encoder(x, mask))


@encoded.register
def _(encoder: Average, embedded: Both, mask: Tensor) -> Both:
    return _only(mask, tanh(embedded.through(encoder.project)))


@encoded.register
def _(encoder: CNN, embedded: Both, mask: Tensor) -> Both:
    return _only(mask, relu(embedded.through(lambda x: encoder.filtered(x, mask))))


@encoded.register(LSTM)
@encoded.register(GRU)
def _(encoder: LSTM | GRU, embedded: Both, mask: Tensor) -> Both:
    run = _run_lstm if isinstance(encoder, LSTM) else _run_gru

    def one_way(cell: nn.Module, tokens: Tensor) -> Tensor:
        return torch.cat(run(cast(Any, cell), Both(*tokens.chunk(2))))

    # Side by side in one batch: each is mirrored as a text is.
    hidden = encoder.both_ways(torch.cat(embedded), torch.cat([mask, mask]), one_way)
    text, base = hidden.chunk(2)
    return Both(text, base.detach())


def _run_lstm(cell: nn.LSTM, tokens: Both) -> Both:
    weight, recurrent, bias, recurrent_bias = (cell.get_parameter(name) for name in _CELL)
    inputs = tokens.through(lambda x: F.linear(x, weight, bias + recurrent_bias))
    hidden = state = _nothing(inputs.text, cell.hidden_size)
    # All gates in one go: σ(x) is (1 + tanh(x/2)) / 2, and the third is no σ.
    half = bias.new_tensor([0.5, 0.5, 1.0, 0.5]).repeat_interleave(cell.hidden_size)
    hiddens = []
    for step in range(inputs.text.shape[1]):
        gates = _at(inputs, step) + hidden.through(lambda h: h @ recurrent.T)
        opened = tanh(gates.through(lambda x: x * half)).through(lambda y: y * half + (1 - half))
        enter, forget, new, leave = opened.chunk(4)
        state = product(forget, state) + product(enter, new)
        hidden = product(leave, tanh(state))
        hiddens.append(hidden)
    return _in_order(hiddens)


def _run_gru(cell: nn.GRU, tokens: Both) -> Both:
    weight, recurrent, bias, recurrent_bias = (cell.get_parameter(name) for name in _CELL)
    inputs = tokens.through(lambda x: F.linear(x, weight, bias))
    width = cell.hidden_size
    hidden = _nothing(inputs.text, width)
    hiddens = []
    for step in range(inputs.text.shape[1]):
        from_state = hidden.through(lambda h: F.linear(h, recurrent, recurrent_bias))
        (x_gates, x_new), (u_gates, u_new) = (
            (each.through(lambda g: g[..., : 2 * width]), each.through(lambda g: g[..., 2 * width :]))
            for each in (_at(inputs, step), from_state)
        )
        reset, keep = sigmoid(x_gates + u_gates).chunk(2)
        new = tanh(x_new + product(reset, u_new))
        hidden = new + product(keep, hidden - new)
        hiddens.append(hidden)
    return _in_order(hiddens)


@encoded.register
def _(encoder: Transformer, embedded: Both, mask: Tensor) -> Both:
    states = embedded.through(lambda x: encoder.input(x) + sinusoids(x, encoder.width))
    for layer in cast(Any, encoder.stack):
        mixed = _normalised(layer.before_attention, states).through(layer.queries_keys_values)
        queries, keys, values = (_by_head(part, encoder.heads) for part in mixed.chunk(3))
        energies = matmul(queries, keys.through(lambda k: k.mT / math.sqrt(k.shape[-1])))
        counted = mask[:, None, None, :].expand_as(energies.text)
        weights = row_step(functools.partial(_projected, layer.project, counted), energies)
        attended = matmul(weights, values).through(lambda a: a.transpose(1, 2).flatten(-2))
        states = _normalised(layer.after_attention, states + attended.through(layer.output))
        first, _, second = layer.feed
        fed = relu(_normalised(layer.before_feed, states).through(first)).through(second)
        states = _normalised(layer.after_feed, states + fed)
    return _only(mask, _normalised(encoder.norm, states))


def _normalised(norm: nn.Module, states: Both) -> Both:
    """Normalise states, where the encoder does; a quadrature of nothing would only cost."""
    return row_step(norm, states) if isinstance(norm, nn.LayerNorm) else states


@functools.singledispatch
def finished(attention: Attention, inner: Both) -> Both:
    """Make energies [B,T] of what is read of the states before `Read.finish`: [B,T,k]."""
    raise _no_rule(attention)


@finished.register(LinearAttention)
@finished.register(ScaledDot)
@finished.register(Last)
def _(attention: Attention, inner: Both) -> Both:
    return inner.through(only_column)


@finished.register
def _(attention: Additive, inner: Both) -> Both:
    return tanh(inner).through(lambda x: x @ attention.outer.weight[0])


@functools.singledispatch
def decoded(decoder: Decoder, attended: Both) -> Both:
    """Make logits [B,O], of all classes, of attended values [B,r]."""
    raise _no_rule(decoder)


@decoded.register
def _(decoder: LinearDecoder, attended: Both) -> Both:
    return attended.through(decoder.head)


@decoded.register
def _(decoder: QueryDecoder, attended: Both) -> Both:
    return tanh(attended).through(decoder.output)


@decoded.register
def _(decoder: PairDecoder, attended: Both) -> Both:
    first, second = attended.chunk(2)
    parts = (attended, absolute(first - second), product(first, second))
    return Both(*(torch.cat(each, dim=-1) for each in zip(*parts, strict=True))).through(decoder.output)


def _no_rule(part: nn.Module) -> TypeError:
    """Say what `without_a_rule` says before: parts without a rule are refused there."""
    return TypeError(f"{type(part).__name__} has no rescale rule")


def _only(mask: Tensor, hidden: Both) -> Both:
    return hidden.through(lambda h: h.masked_fill(~mask[..., None], 0.0))


def _nothing(like: Tensor, width: int) -> Both:
    zeros = like.new_zeros(len(like), width)
    return Both(zeros, zeros)


def _at(inputs: Both, step: int) -> Both:
    return inputs.through(lambda x: x[:, step])


def _in_order(hiddens: list[Both]) -> Both:
    return Both(*(torch.stack(each, dim=1) for each in zip(*hiddens, strict=True)))


def _by_head(part: Both, heads: int) -> Both:
    return part.through(lambda x: x.view(*x.shape[:2], heads, -1).transpose(1, 2))


def _projected(project: Projection, counted: Tensor, energies: Tensor) -> Tensor:
    return project(energies, counted)
