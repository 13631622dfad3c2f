"""Measures of stacked self-attention: flow against networkx, value zeroing against brute force."""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from attex.data.batch import Batch
from attex.importance import attention_norm, attention_rollout, value_zeroing
from attex.importance.flow import maximum_flows
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from benchmarks.timing import Result, compare, within

LAYERS, HEADS, WIDTH = 6, 12, 384
"""Those of a small pretrained model."""
FEW, MANY = 30, 400
"""Positions of a sentence and of a long review."""
SAMPLED = 8
"""Words of the long text whose flow is timed; that of all is scaled up."""
MEGABYTES = 1_000.0


class FirstRead(AttentionModel):
    """Reads the first state, as a classifier with a marker does."""

    has_readout = False

    def reading(self, batch: Batch) -> torch.Tensor:
        """Read the first state and no other."""
        first = torch.zeros(batch.tokens.shape)
        first[:, 0] = 1.0
        return first


def model() -> AttentionModel:
    """Make an untrained Transformer of the size of a small pretrained one, and read its first state."""
    encoder = {"type": "transformer", "hidden": WIDTH, "layers": LAYERS, "heads": HEADS}
    made = assemble(MODELS.spec({"encoder": encoder}), 1_000, 2, seed=0)
    return FirstRead(made.embedding, made.encoder, made.attention, made.decoder).eval()


def texts(count: int, length: int) -> Batch:
    """Draw texts of one length."""
    tokens = torch.randint(5, 1_000, (count, length), generator=torch.Generator().manual_seed(0))
    real = torch.ones_like(tokens, dtype=torch.bool)
    return Batch(tokens, real, real, torch.zeros(count).long(), torch.arange(count))


def stacked(length: int) -> np.ndarray:
    """Draw attention of several layers: each position attends to a few more than to others."""
    energies = np.random.default_rng(0).normal(scale=1.5, size=(LAYERS, length, length))
    weights = np.exp(energies)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def networkx_flows(stack: np.ndarray) -> None:
    """Let networkx find the maximum for every word."""
    import networkx as nx

    graph, length = nx.DiGraph(), stack.shape[1]
    for number, weights in enumerate(stack):
        for i in range(length):
            for j in range(length):
                capacity = weights[i, j] / 2 + (i == j) / 2
                graph.add_edge((number + 1, i), (number, j), capacity=capacity)
    for word in range(length):
        nx.maximum_flow_value(graph, (len(stack), 0), (0, word))


@torch.no_grad()
def zeroed_one_by_one(model: AttentionModel, batch: Batch) -> None:
    """Run the last layer on the whole text with the value of one position after the other at 0."""
    *_, parts = model.layer_parts(batch)
    own = parts.layer.finish(parts.mixed(), parts.inputs)
    for position in range(batch.tokens.shape[1]):
        values = parts.values.clone()
        values[:, position] = 0.0
        mixed = torch.einsum("bhij,bjhd->bihd", parts.weights, values)
        without = parts.layer.finish(mixed, parts.inputs)
        torch.cosine_similarity(without[:, 0], own[:, 0], dim=-1)


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Compare; a long text's flow, and the memory that measures of long texts take, have limits."""
    stack, begin, words = stacked(FEW), np.eye(FEW)[0], np.eye(FEW, dtype=bool)
    name = f"attention_flow, {FEW} positions, {LAYERS} layers, every word"
    yield within(name, lambda: maximum_flows(stack, begin, words), 0.05, times=3)
    yield compare(
        f"{name}, against networkx",
        lambda: maximum_flows(stack, begin, words),
        lambda: networkx_flows(stack),
        at_least=30,
        times=1,
    )
    long, some = stacked(MANY), np.eye(MANY, dtype=bool)[:, :SAMPLED]
    started = time.perf_counter()
    maximum_flows(long, np.eye(MANY)[0], some)
    took = (time.perf_counter() - started) * MANY / SAMPLED
    yield Result(f"attention_flow, {MANY} positions", took, None, "< 120 s", took < 120)
    read, batch = model(), texts(1, 200)
    yield compare(
        "value_zeroing, 200 positions, the row of the marker",
        lambda: value_zeroing(read, batch),
        lambda: zeroed_one_by_one(read, batch),
        at_least=3,
    )
    command = [sys.executable, "-m", "benchmarks.layers"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, megabytes = map(float, told.split())
    name = f"rollout, norm and value zeroing, 20 texts of {MANY} positions ({megabytes:.0f} MB)"
    yield Result(name, seconds, None, f"< {MEGABYTES:g} MB more", megabytes < MEGABYTES)


def main() -> None:
    """Print the seconds of a batch of long texts, and how much memory it took beyond the model's."""
    read, batch = model(), texts(20, MANY)
    attention_rollout(read, texts(1, 2))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    for measure in (attention_rollout, attention_norm, value_zeroing):
        measure(read, batch)
    took = time.perf_counter() - started
    print(took, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000)


if __name__ == "__main__":
    main()
