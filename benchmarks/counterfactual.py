"""Counterfactual attention against the algorithms as published.

Those work in batches of 32 and carry the hidden states along.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from attex.counterfactual import adversarial_exact, adversarial_search, permute
from attex.models.decoder import Readout
from benchmarks.timing import Result, compare, seconds

BATCH, WIDTH, DRAWS, STEPS = 32, 256, 100, 500


class Texts:
    """Random hidden states, a linear decoder and attention, for texts of one length."""

    def __init__(self, count: int, length: int) -> None:
        torch.manual_seed(0)
        self.hidden = torch.randn(count, length, WIDTH)
        self.weight, self.bias = torch.randn(WIDTH) * 0.2, 0.1
        self.inner, self.outer = torch.randn(WIDTH, WIDTH // 2) * 0.1, torch.randn(WIDTH // 2) * 0.3
        self.attention = self.attend(self.hidden)
        self.mask = torch.ones(count, length, dtype=torch.bool)

    @property
    def readout(self) -> Readout:
        """The token logits, read off the hidden states once."""
        values = (self.hidden @ self.weight)[..., None].double()
        return Readout(values, lambda context: context + self.bias, linear=True)

    def attend(self, hidden: Tensor) -> Tensor:
        """Additive attention."""
        return (torch.tanh(hidden @ self.inner) @ self.outer).softmax(dim=-1)

    def output(self, attention: Tensor, hidden: Tensor) -> Tensor:
        """Attend and decode."""
        context = (attention[..., None] * hidden).sum(dim=-2)
        return torch.sigmoid(context @ self.weight + self.bias)


def published_permutation(texts: Texts) -> None:
    """Attend anew, shuffle each text's weights in turn and decode, a hundred times."""
    for start in range(0, len(texts.hidden), BATCH):
        hidden = texts.hidden[start : start + BATCH]
        attention = texts.attention[start : start + BATCH]
        whole = texts.output(attention, hidden)
        changes = []
        for _ in range(DRAWS):
            attention = texts.attend(hidden)
            shuffled = attention.clone()
            for row in range(len(shuffled)):
                order = np.random.permutation(shuffled.shape[1])
                shuffled[row] = attention[row, torch.from_numpy(order)]
            changes.append((texts.output(shuffled, hidden) - whole).abs().numpy())
        np.median(np.stack(changes), axis=0)


def published_search(texts: Texts) -> None:
    """Five candidates of each text, Adam and autograd, 500 steps."""
    for start in range(0, len(texts.hidden), BATCH):
        hidden = texts.hidden[start : start + BATCH, None]
        attention = texts.attention[start : start + BATCH, None]
        whole = texts.output(attention, hidden)
        shape = (len(hidden), 5, attention.shape[-1])
        energies = (3 * torch.randn(shape)).requires_grad_()
        optimiser = torch.optim.Adam([energies], lr=0.01, amsgrad=True)
        for _ in range(STEPS):
            weights = energies.softmax(dim=-1)
            gap = (texts.output(weights, hidden) - whole).abs()
            apart = _jsd(weights[:, :, None], weights[:, None, :]).mean(dim=(1, 2))
            loss = 500 * (gap - 0.01).clamp(min=0).sum() - _jsd(weights, attention).sum() - apart.sum()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()


def _jsd(p: Tensor, q: Tensor) -> Tensor:
    middle = ((p + q) / 2 + 1e-10).log()
    return (p * ((p + 1e-10).log() - middle) + q * ((q + 1e-10).log() - middle)).sum(dim=-1) / 2


def permuted(texts: Texts) -> None:
    """A hundred permutations of every text."""
    permute(texts.readout, texts.attention, texts.mask, draws=DRAWS)


def searched(texts: Texts) -> None:
    """All steps of the search for every text."""
    adversarial_search(texts.readout, texts.attention, texts.mask, steps=STEPS, patience=None)


def exact(texts: Texts) -> None:
    """The exact maximum of every text."""
    adversarial_exact(texts.readout.values[..., 0], texts.attention, texts.mask, texts.bias, 0.01)


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Compare at the lengths of SST and IMDB; the search is as published in steps and stops nothing."""
    few, many = Texts(BATCH, 20), Texts(54 * BATCH, 20)
    ways: list[tuple[str, Callable[[Texts], object], Callable[[Texts], None], float]] = [
        ("permute", permuted, published_permutation, 50.0),
        ("adversarial_search, 500 steps", searched, published_search, 10.0),
        ("adversarial_exact against that search", exact, published_search, 200.0),
    ]
    for name, ours, theirs, at_least in ways:
        yield _per_text(f"{name}, 20 tokens", ours, theirs, many, few, at_least)
    few, many = Texts(BATCH, 180), Texts(8 * BATCH, 180)
    name = "adversarial_exact against the search, 180 tokens"
    yield _per_text(name, exact, published_search, many, few, 200.0)


def _per_text(
    name: str,
    ours: Callable[[Texts], object],
    theirs: Callable[[Texts], None],
    many: Texts,
    few: Texts,
    at_least: float,
) -> Result:
    """Time ours on many texts and theirs on a batch, and scale: theirs takes as long for each batch."""
    share = len(many.hidden) / len(few.hidden)
    found = compare(name, lambda: ours(many), lambda: theirs(few), at_least, times=1)
    ours_again = min(found.seconds, seconds(lambda: ours(many)))
    naive = (found.naive or 0.0) * share
    return replace(found, seconds=ours_again, naive=naive, kept=naive / ours_again >= at_least)
