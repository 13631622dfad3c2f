"""Importance as the most that can flow from the output to a word, through stacked self-attention."""

from typing import Annotated

import numpy as np
import scipy  # Its parts, which take long, are imported where they are first used.
import torch
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.memory import Budget
from attex.foundations.progress import steps
from attex.foundations.registry import RUNTIME
from attex.importance.measure import MEASURES
from attex.importance.stacked import texts_in_pieces
from attex.models.classifier import AttentionModel

_UNIT = 2**30
"""Capacities are counted in this part of 1: what flows in whole numbers is exact, and fits 32 bits."""


@MEASURES.register("attention_flow", cite="Abnar & Zuidema 2020", needs="layers", growth=3)
@torch.no_grad()
def attention_flow(
    model: AttentionModel, batch: Batch, *, budget: Annotated[Budget | None, RUNTIME] = None
) -> Tensor:
    """The most that can flow from the output to a word, where Â = ½A + ½I are the capacities.

    (model, batch) → [B,T], NaN where a position is not scorable. Every position of every layer is a
    node. Â_ij of a layer (A is the mean of its heads, I the residual connection) is how much can flow
    from its position i to position j of the layer below. It begins at the marker that a classifier
    reads, or with the weights α at all positions where our attention stands on top. It ends at the
    word, all of whose pieces are one end. Each word's flow is a maximum of its own, exact to 1e-6, so
    that those of a text do not add up to 1. The work grows with up to the 4th power of the length: of 30
    positions it takes milliseconds, of 400 half a minute. `budget` as for `attention_rollout`.
    """

    def flows(texts: Batch, memory: int) -> Tensor:
        layers = [parts.weights.mean(dim=1).double().cpu().numpy() for parts in model.layer_parts(texts)]
        reading = model.reading(texts).double().cpu().numpy()
        found = np.zeros(texts.tokens.shape)
        lengths = texts.mask.sum(dim=1).tolist()
        for row in steps(range(len(texts)), [float(length) ** 4 for length in lengths]):
            real = slice(lengths[row])
            stack = np.stack([weights[row, real, real] for weights in layers])
            begins, words = _words(texts, row)
            found[row, begins] = maximum_flows(stack, reading[row, real], words[real])
        return torch.from_numpy(found).to(texts.tokens.device)

    return texts_in_pieces(model, batch, "attention_flow", flows, budget=budget)


def maximum_flows(stack: np.ndarray, reading: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Return the most that can flow to each word of one text: [W].

    stack [L,n,n] is the attention of the layers, the first one first; reading [n] is how much can enter
    at the last states; words [n,W] marks the positions that each word is made of.
    """
    capacities = _counted((stack + np.eye(stack.shape[1])) / 2)
    graph = _graph(capacities[1:], _counted(reading))
    into, ends = capacities[0] @ words.astype(np.int32), slice(-len(reading), None)
    found = np.empty(words.shape[1])
    for word in steps(range(len(found))):
        # Of one word and the next only the last edges differ, those that end at it.
        graph.data[ends] = into[:, word]
        found[word] = scipy.sparse.csgraph.maximum_flow(graph, 0, graph.shape[0] - 1).flow_value
    return found / _UNIT


def _graph(layers: np.ndarray, entering: np.ndarray) -> "scipy.sparse.csr_array":
    """Build the edges from where the flow begins down to the first layer's inputs, and on to a word.

    Nodes: the beginning; the positions of the last states, then of those below, down to what leaves the
    first layer; the word. layers [L−1,n,n] are the layers above the first; what ends at the word is 0.
    """
    count, length = len(layers) + 1, len(entering)
    (entered,) = entering.nonzero()
    edges = [(np.zeros_like(entered), 1 + entered, entering[entered])]
    # Nothing leaves a last state that nothing enters.
    layers = np.concatenate([layers[:-1], layers[-1:] * (entering > 0)[:, None]])
    for depth, layer in enumerate(layers[::-1]):
        above, below = layer.nonzero()
        first = 1 + depth * length
        edges.append((first + above, first + length + below, layer[above, below]))
    last = 1 + (count - 1) * length + np.arange(length)
    edges.append((last, np.full_like(last, last[-1] + 1), np.zeros_like(entering)))
    begins, ends, flows = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    rows = np.searchsorted(begins, np.arange(last[-1] + 3))
    whole = (flows, ends.astype(np.int32), rows.astype(np.int32))
    return scipy.sparse.csr_array(whole, shape=(last[-1] + 2, last[-1] + 2))


def _counted(shares: np.ndarray) -> np.ndarray:
    counted: np.ndarray = np.rint(shares * _UNIT).astype(np.int32)
    return counted


def _words(batch: Batch, row: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where each word of a text begins [W], and which positions it is made of [T,W]."""
    begins = batch.scored[row].nonzero()[:, 0]
    if batch.word is None:
        made_of = torch.arange(len(batch.scored[row]), device=begins.device)[:, None] == begins
    else:
        made_of = batch.word[row][:, None] == batch.word[row][begins]
    return begins.cpu().numpy(), made_of.cpu().numpy()
