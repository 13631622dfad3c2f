"""What measures of stacked self-attention share: which layer, how many texts at a time."""

import itertools
from collections.abc import Callable, Iterator
from typing import Annotated

import torch
from pydantic import Field
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.memory import Budget, backing_off, budget_on, spans
from attex.foundations.progress import steps
from attex.importance.measure import by_word, check_layers, only_scorable
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder
from attex.models.layers import LayerParts

Layer = Annotated[int, Field(ge=0, le=1000)]
"""A layer of self-attention, as an option; the first is 0."""
Head = Annotated[int, Field(ge=0, le=1000)]
"""A head of it; the first is 0."""

_WEIGHTS_AT_ONCE = 8
"""Copies of a layer's weights that are made on the way, by a projection for one."""
_STATES_AT_ONCE = 32
"""Hidden-sized rows that are made of a position on the way."""


def texts_in_pieces(
    model: AttentionModel,
    batch: Batch,
    title: str,
    score: Callable[[Batch, int], Tensor],
    layer: int | None = None,
    head: int | None = None,
    budget: Budget | None = None,
) -> Tensor:
    """Score a few texts at a time, as many as fit the budget, and add up the pieces of words: [B,T].

    `score` gives each position of some texts a number [b,T], and has as much memory again for what it
    makes on the way. Attention is kept of those texts only.
    """
    check_layers(model, title, layer, head)
    each = bytes_of_text(model.encoder, batch.tokens.shape[1])

    def scored(memory: int) -> Tensor:
        sizes = [span.stop - span.start for span in spans(len(batch), each, memory)]
        return torch.cat([score(texts, memory) for texts in steps([*batch.split(sizes)])])

    scores = backing_off(scored, budget or budget_on(batch.tokens.device))
    return only_scorable(by_word(scores.double(), batch), batch)


def bytes_of_text(encoder: Encoder, length: int) -> int:
    """Say how much memory all layers of one text take, which is so many positions long."""
    weights = encoder.heads * (_WEIGHTS_AT_ONCE + encoder.layer_count)
    states = encoder.width * (_STATES_AT_ONCE + 2 * encoder.layer_count)
    return 4 * length * (weights * length + states)


def one_layer(model: AttentionModel, batch: Batch, layer: int | None) -> LayerParts:
    """Return the parts of one layer of these texts, the last unless another is named."""
    wanted = model.encoder.layer_count - 1 if layer is None else layer
    return next(itertools.islice(model.layer_parts(batch), wanted, None))


def rows(wanted: Tensor, bytes_each: int, memory: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the positions that are wanted, a few at a time: [B,T] → texts [R], positions [R].

    A row takes `bytes_each`, and as many come at a time as fit the memory.
    """
    texts, positions = wanted.nonzero(as_tuple=True)
    for span in steps(spans(len(texts), bytes_each, memory)):
        yield texts[span], positions[span]
