"""Measures of layers on pretrained models, held against transformers' own attention and brute force."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pretrained_folders import KINDS, transformers, write_folder
from test_flow import library_flow
from torch import Tensor

from attex.data.batch import Batch
from attex.importance import (
    attention,
    attention_flow,
    attention_norm,
    attention_rollout,
    value_zeroing,
)
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.pretrained import edits

WORDS = [[0, 0, 0, 1, 2, 2], [0, 1]]
"""The word of each piece, of two texts."""
PIECES = [len(words) + 2 for words in WORDS]
LAYERS = 3


def texts() -> Batch:
    draws, width = torch.Generator().manual_seed(3), max(PIECES)
    tokens = torch.randint(5, 40, (2, width), generator=draws)
    word = torch.full((2, width), -1)
    for row, words in enumerate(WORDS):
        word[row, 1 : 1 + len(words)] = torch.tensor(words)
        tokens[row, 0], tokens[row, PIECES[row] - 1] = 2, 3
    mask = torch.arange(width) < torch.tensor(PIECES)[:, None]
    tokens = tokens.where(mask, 0)
    return Batch(tokens, mask, word >= 0, torch.zeros(2).long(), torch.arange(2), word=word)


def classifier(folder: Path, kind: str) -> AttentionModel:
    write_folder(folder, kind, labels=["bad", "good"], layers=LAYERS)
    spec = MODELS.spec({"type": "pretrained_classifier", "path": str(folder)})
    return assemble(spec, 0, 2, seed=0).eval()


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AttentionModel:
    return classifier(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def batch() -> Batch:
    return texts()


def attentions(model: AttentionModel, batch: Batch) -> Tensor:
    """Let transformers itself show the attention of a model: [L,B,H,T,T], in its eager way."""
    inner: Any = model.encoder
    eager = transformers.AutoModel.from_pretrained(
        inner.model.config._name_or_path, attn_implementation="eager", dtype=torch.float32
    ).eval()
    with torch.no_grad():
        made = eager(batch.tokens, attention_mask=batch.mask.long(), output_attentions=True)
    return torch.stack(made.attentions)


def of_words(values: np.ndarray, row: int) -> list[float]:
    pieces = np.array([-1, *WORDS[row], -1])
    return [float(values[pieces == word].sum()) for word in range(max(WORDS[row]) + 1)]


def scored(scores: Tensor, batch: Batch) -> list[np.ndarray]:
    assert torch.equal(scores.isfinite(), batch.scored)
    return [scores[row][batch.scored[row]].numpy() for row in range(len(batch))]


def test_attention_is_the_markers_row(model: AttentionModel, batch: Batch) -> None:
    weights = attentions(model, batch)
    for layer, head in ((None, None), (0, None), (None, 1), (1, 0)):
        found = scored(attention(model, batch, layer=layer, head=head), batch)
        chosen = weights[-1 if layer is None else layer]
        rows = chosen.mean(dim=1)[:, 0] if head is None else chosen[:, head, 0]
        for row, length in enumerate(PIECES):
            expected = of_words(rows[row, :length].numpy(), row)
            np.testing.assert_allclose(found[row], expected, atol=1e-6)


def test_rollout_and_flow_are_those_of_the_attention_that_transformers_shows(
    model: AttentionModel, batch: Batch
) -> None:
    weights = attentions(model, batch).double().mean(dim=2).numpy()
    rolled = scored(attention_rollout(model, batch), batch)
    flows = scored(attention_flow(model, batch), batch)
    for row, length in enumerate(PIECES):
        layers = [*weights[:, row, :length, :length]]
        product = np.eye(length)
        for layer in layers:
            product = (layer + np.eye(length)) / 2 @ product
        np.testing.assert_allclose(rolled[row], of_words(product[0], row), atol=1e-6)
        pieces, marker = np.array([-1, *WORDS[row], -1]), np.eye(length)[0]
        for word, found in enumerate(flows[row]):
            expected = library_flow(layers, marker, np.flatnonzero(pieces == word))
            assert found == pytest.approx(expected, abs=1e-6)


def only(keep: int) -> dict[int, Any]:
    """Leave the value of one position in the last layer, and set the others to 0."""

    def edit(weights: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        return weights, values * (torch.arange(values.shape[2]) == keep)[:, None]

    return {LAYERS - 1: edit}


def without(drop: int) -> dict[int, Any]:
    """Set the value of one position in the last layer to 0."""

    def edit(weights: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        return weights, values * (torch.arange(values.shape[2]) != drop)[:, None]

    return {LAYERS - 1: edit}


@torch.no_grad()
def test_the_norm_is_of_what_the_output_projection_gives_for_one_value_alone(
    model: AttentionModel, batch: Batch
) -> None:
    inner: Any = model.encoder
    names = ("attention.output.dense", "attention.out_lin")
    ends = tuple(f"layer.{LAYERS - 1}.{name}" for name in names)
    (output,) = [one for name, one in inner.base.named_modules() if name.endswith(ends)]
    given: list[Tensor] = []
    hook = output.register_forward_hook(lambda module, args, made: given.append(made - module.bias))
    try:
        model(batch)
        for position in range(max(PIECES)):
            with edits(only(position)):
                model(batch)
    finally:
        hook.remove()
    whole, each = given[0][:, 0], torch.stack(given[1:])[:, :, 0]
    torch.testing.assert_close(each.sum(dim=0), whole, atol=1e-5, rtol=1e-5)
    found = scored(attention_norm(model, batch), batch)
    for row, length in enumerate(PIECES):
        norms = each.norm(dim=-1)[:length, row].numpy()
        np.testing.assert_allclose(found[row], of_words(norms, row), rtol=1e-4)


@torch.no_grad()
def test_value_zeroing_is_running_the_model_with_a_value_of_zero(
    model: AttentionModel, batch: Batch
) -> None:
    precise = model.double()

    def marker() -> Tensor:
        return precise.encode(precise.embed(batch), batch)[:, 0]

    own, turned = marker(), []
    for position in range(max(PIECES)):
        with edits(without(position)):
            turned.append(1 - torch.cosine_similarity(marker(), own, dim=-1))
    apart = torch.stack(turned, dim=1)
    shares = (apart / apart.sum(dim=1, keepdim=True)).numpy()
    found = scored(value_zeroing(precise, batch), batch)
    single = scored(value_zeroing(model.float(), batch), batch)
    for row, length in enumerate(PIECES):
        expected = of_words(shares[row, :length], row)
        np.testing.assert_allclose(found[row], expected, atol=1e-9)
        np.testing.assert_allclose(single[row], expected, atol=1e-5)


@torch.no_grad()
def test_layers_of_an_encoder_under_our_attention_are_read_with_its_weights(
    tmp_path: Path, batch: Batch
) -> None:
    folder = write_folder(tmp_path, "bert", layers=LAYERS)
    encoder = {"type": "pretrained", "path": str(folder)}
    spec = MODELS.spec({"type": "attention", "encoder": encoder})
    model = assemble(spec, 0, 2, seed=0).eval()
    weights, alpha = attentions(model, batch).double().mean(dim=2), model(batch).attention.double()
    found = scored(attention_rollout(model, batch), batch)
    for row, length in enumerate(PIECES):
        reading = alpha[row, :length]
        for layer in weights.flip(0)[:, row, :length, :length]:
            reading = (reading + reading @ layer) / 2
        np.testing.assert_allclose(found[row], of_words(reading.numpy(), row), atol=1e-6)
    norms = (model(batch).hidden.norm(dim=-1) * alpha)[0, : PIECES[0]].numpy()
    np.testing.assert_allclose(
        scored(attention_norm(model, batch), batch)[0], of_words(norms, 0), rtol=1e-5
    )


@pytest.mark.parametrize(
    "measure",
    [attention, attention_rollout, attention_flow, attention_norm, value_zeroing],
    ids=lambda measure: measure.__name__,
)
def test_a_text_alone_scores_what_it_scores_beside_others(
    model: AttentionModel, batch: Batch, measure: Any
) -> None:
    together = scored(measure(model, batch), batch)
    for row, length in enumerate(PIECES):
        alone = Batch(
            *(value[row : row + 1, :length] for value in (batch.tokens, batch.mask, batch.scorable)),
            batch.labels[:1],
            batch.ids[row : row + 1],
            word=batch.word[row : row + 1, :length] if batch.word is not None else None,
        )
        np.testing.assert_allclose(
            scored(measure(model, alone), alone)[0], together[row], rtol=1e-5, atol=1e-6
        )
