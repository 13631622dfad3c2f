"""Other weights inside layers, against passes through the whole model with those weights imposed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from pretrained_folders import KINDS, write_folder
from torch import Tensor, nn
from toys import make_batch, make_model

from attex.counterfactual.stacked import (
    Moved,
    ReadLayer,
    read_layers,
    under_even,
    under_permuted,
    without_heads,
)
from attex.data.batch import Batch
from attex.foundations.divergences import distribution
from attex.foundations.draws import permutations
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.pretrained import edits

WORDS = [[0, 0, 0, 1, 2, 2], [0, 1], []]
"""The word of each piece, of three texts; the last has none."""
LAYERS, HEADS, DRAWS = 3, 2, 3
Weights = Callable[[Tensor, Batch, int], Tensor]
"""(weights [B,H,T,T], batch, draw) → others."""


def pieces() -> Batch:
    draws, lengths = torch.Generator().manual_seed(3), [len(words) + 2 for words in WORDS]
    width = max(lengths) + 1
    tokens = torch.randint(5, 40, (len(WORDS), width), generator=draws)
    word = torch.full(tokens.shape, -1)
    for row, words in enumerate(WORDS):
        word[row, 1 : 1 + len(words)] = torch.tensor(words)
        tokens[row, 0], tokens[row, lengths[row] - 1] = 2, 3
    mask = torch.arange(width) < torch.tensor(lengths)[:, None]
    ids = torch.tensor([11, 5, 8])
    return Batch(tokens.where(mask, 0), mask, word >= 0, torch.zeros(3).long(), ids, word=word)


def classifier(folder: Path, kind: str, labels: tuple[str, ...] = ("bad", "good")) -> AttentionModel:
    write_folder(folder, kind, labels=labels, layers=LAYERS)
    spec = MODELS.spec({"type": "pretrained_classifier", "path": str(folder)})
    return assemble(spec, 0, len(labels), seed=0).eval()


@pytest.fixture(scope="module", params=KINDS)
def pretrained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return classifier(tmp_path_factory.mktemp(request.param), request.param).double()


def shuffled(weights: Tensor, batch: Batch, draw: int) -> Tensor:
    """Move the columns of words, one text and one column after the other."""
    order = permutations(batch.ids, batch.scorable, DRAWS, seed=0)[:, draw]
    others = weights.clone()
    for text in range(len(batch)):
        for column in batch.scorable[text].nonzero()[:, 0].tolist():
            others[text, :, :, column] = weights[text, :, :, order[text, column]]
    return others


def evened(weights: Tensor, batch: Batch, draw: int) -> Tensor:
    others = weights.clone()
    for text in range(len(batch)):
        columns = batch.scorable[text]
        others[text, :, :, columns] = weights[text, :, :, columns].mean(dim=-1, keepdim=True)
    return others


def erased(weights: Tensor, batch: Batch, draw: int) -> Tensor:
    return torch.zeros_like(weights)


CHANGES: dict[str, tuple[Callable[[ReadLayer], Moved], Weights, int]] = {
    "permuted": (lambda layer: under_permuted(layer, draws=DRAWS), shuffled, DRAWS),
    "uniform": (under_even, evened, 1),
    "erased": (without_heads, erased, 1),
}


def imposed(others: Weights, batch: Batch, draw: int, head: int | None) -> Any:
    """Put other weights into one head of a layer, or into all."""

    def edit(weights: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        changed = others(weights, batch, draw)
        if head is None:
            return changed, values
        alone = weights.clone()
        alone[:, head] = changed[:, head]
        return alone, values

    return edit


def compared(passes: list[Tensor], whole: Tensor) -> tuple[Tensor, Tensor]:
    """Mean TVD and share of other decisions, by definition, from logits of several passes."""
    own = distribution(whole)
    outputs = [distribution(logits) for logits in passes]
    tvd = torch.stack([(output - own).abs().sum(dim=-1) / 2 for output in outputs]).mean(dim=0)
    flips = torch.stack([(o.argmax(dim=-1) != own.argmax(dim=-1)).double() for o in outputs])
    return tvd, flips.mean(dim=0)


@pytest.mark.parametrize("change", CHANGES)
@torch.no_grad()
def test_the_same_comes_of_a_pass_with_these_weights_imposed(
    pretrained: AttentionModel, change: str
) -> None:
    batch = pieces()
    ours, others, draws = CHANGES[change]
    whole = pretrained(batch).logits
    for layer in read_layers(pretrained, batch):
        assert layer.weights.shape[2] == (1 if layer.number == LAYERS - 1 else batch.mask.shape[1])
        moved = ours(layer)
        assert moved.tvd[:2].isfinite().all()
        assert moved.tvd[2].isnan().all()
        for column, head in enumerate([None, *range(HEADS)]):
            passes = []
            for draw in range(draws):
                with edits({layer.number: imposed(others, batch, draw, head)}):
                    passes.append(pretrained(batch).logits)
            tvd, flips = compared(passes, whole)
            torch.testing.assert_close(moved.tvd[:2, column], tvd[:2], atol=1e-9, rtol=0)
            torch.testing.assert_close(moved.flips[:2, column], flips[:2], atol=1e-9, rtol=0)


@torch.no_grad()
def test_float32_is_as_good_as_is_needed(tmp_path: Path) -> None:
    batch, model = pieces(), classifier(tmp_path, "bert", ("bad", "good", "neither"))
    single = [ours(layer).tvd for layer in read_layers(model, batch) for ours, _, _ in CHANGES.values()]
    model = model.double()
    double = [ours(layer).tvd for layer in read_layers(model, batch) for ours, _, _ in CHANGES.values()]
    for found, expected in zip(single, double, strict=True):
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=0, equal_nan=True)


@torch.no_grad()
def test_a_text_alone_moves_as_it_does_beside_others(pretrained: AttentionModel) -> None:
    batch = pieces()
    together = [
        ours(each).tvd for each in read_layers(pretrained, batch) for ours, _, _ in CHANGES.values()
    ]
    for row, words in enumerate(WORDS[:2]):
        length = len(words) + 2
        assert batch.word is not None
        alone = Batch(
            *(value[row : row + 1, :length] for value in (batch.tokens, batch.mask, batch.scorable)),
            batch.labels[:1],
            batch.ids[row : row + 1],
            word=batch.word[row : row + 1, :length],
        )
        found = [
            ours(each).tvd for each in read_layers(pretrained, alone) for ours, _, _ in CHANGES.values()
        ]
        for one, all_of_them in zip(found, together, strict=True):
            torch.testing.assert_close(one[0], all_of_them[row], atol=1e-9, rtol=0)


def by_hand(model: AttentionModel, batch: Batch, layer: int, edit: Any) -> Tensor:
    """Run our Transformer with its own weights, step by step, with one layer's attention edited."""
    encoder: Any = model.encoder
    first = isinstance(encoder.norm, nn.LayerNorm)
    states = encoder._enter(model.embed(batch))
    size, length, width = states.shape
    for number, block in enumerate(encoder.stack):
        mapped = block.queries_keys_values(block.before_attention(states) if first else states)
        split = mapped.view(size, length, 3, encoder.heads, width // encoder.heads)
        queries, keys, values = (split[:, :, part].transpose(1, 2) for part in range(3))
        energies = queries @ keys.mT / (width // encoder.heads) ** 0.5
        weights = energies.masked_fill(~batch.mask[:, None, None], -torch.inf).softmax(dim=-1)
        if number == layer:
            weights, values = edit(weights, values)
        states = states + block.output((weights @ values).transpose(1, 2).flatten(2))
        if first:
            states = states + block.feed(block.before_feed(states))
        else:
            states = block.after_attention(states)
            states = block.after_feed(states + block.feed(states))
    hidden = (encoder.norm(states) if first else states) * batch.mask[..., None]
    return model.decode(hidden, model.attend(hidden, batch), batch)


@pytest.mark.parametrize("normalised", ["before", "after"])
@pytest.mark.parametrize("change", CHANGES)
@torch.no_grad()
def test_our_own_transformer_under_our_attention(change: str, normalised: str) -> None:
    model = make_model("transformer", encoding={"normalised": normalised}).double()
    batch = make_batch([4, 1, 7])
    ours, others, draws = CHANGES[change]
    nothing = by_hand(model, batch, -1, None)
    torch.testing.assert_close(nothing, model(batch).logits)
    for layer in read_layers(model, batch):
        assert layer.weights.shape[2] == batch.mask.shape[1], "all states are read"
        moved = ours(layer)
        for column, head in enumerate([None, 0]):
            edit = [imposed(others, batch, draw, head) for draw in range(draws)]
            passes = [by_hand(model, batch, layer.number, each) for each in edit]
            tvd, flips = compared(passes, nothing)
            torch.testing.assert_close(moved.tvd[:, column], tvd, atol=1e-9, rtol=0)
            torch.testing.assert_close(moved.flips[:, column], flips, atol=1e-9, rtol=0)


@torch.no_grad()
def test_an_encoder_under_our_attention_is_read_at_all_positions(tmp_path: Path) -> None:
    folder, batch = write_folder(tmp_path, "bert", layers=LAYERS), pieces()
    spec = MODELS.spec({"type": "attention", "encoder": {"type": "pretrained", "path": str(folder)}})
    model = assemble(spec, 0, 2, seed=0).double().eval()
    for layer in read_layers(model, batch):
        moved = under_permuted(layer, draws=1, heads=False)
        with edits({layer.number: imposed(shuffled, batch, 0, None)}):
            other = model(batch).logits
        tvd, _ = compared([other], model(batch).logits)
        assert moved.tvd.shape == (len(batch), 1)
        torch.testing.assert_close(moved.tvd[:2, 0], tvd[:2], atol=1e-9, rtol=0)
