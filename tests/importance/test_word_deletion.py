"""Measures of words in pieces: deletion by word is re-tokenising the text without it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from pretrained_folders import write_folder
from pretrained_toys import batch_of, classifier, encoder_under_attention, skip_if_refused
from torch import Tensor
from toys import cheap

from attex.analyses.readings import words_read
from attex.data.batch import Batch
from attex.foundations.divergences import total_variation
from attex.importance import gradient, gradient_norm, leave_one_out
from attex.importance.leaving_out import leave_one_out_hidden
from attex.importance.measure import MEASURES
from attex.models.classifier import AttentionModel
from attex.models.imposed import PermutedAttention

TEXTS = ("the unbelievable film was not very good", "badly", "was was was a films films")
QUERIES = ("films good", "is it", "films a a")
Make = Callable[..., AttentionModel]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("bert"), labels=("x", "y", "z"))


def texts_without_each(row: int, queries: bool) -> list[tuple[str, str | None]]:
    """Write a text, and its query, once without each word of both."""
    words, asked = TEXTS[row].split(), QUERIES[row].split() if queries else []
    shorter = []
    for gone in range(len(words) + len(asked)):
        left = [word for n, word in enumerate(words) if n != gone]
        rest = [word for n, word in enumerate(asked) if n + len(words) != gone]
        shorter.append((" ".join(left), " ".join(rest) if queries else None))
    return shorter


@pytest.mark.parametrize("queries", [False, True])
@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
@torch.no_grad()
def test_leaving_a_word_out_is_reading_the_text_without_it(
    folder: Path, make: Make, queries: bool
) -> None:
    model = make(folder, 3)
    batch = batch_of(folder, TEXTS, QUERIES if queries else ())
    whole = model(batch).logits
    for budget in (None, 1, 50_000):
        scores = batch.by_word(leave_one_out(model, batch, budget=budget), 12)
        for row in range(len(TEXTS)):
            variants = texts_without_each(row, queries)
            if len(variants) == 1:
                assert scores[row].isnan().all()
                continue
            for number, (text, query) in enumerate(variants):
                shorter = batch_of(folder, [text], () if query is None else (query,))
                expected = total_variation(model(shorter).logits, whole[row : row + 1])
                assert scores[row, number].item() == pytest.approx(expected.item(), abs=1e-6)
            assert scores[row, len(variants) :].isnan().all()


@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
def test_equal_words_side_by_side_are_tied_to_the_bit_but_not_across_a_query(
    folder: Path, make: Make
) -> None:
    model = make(folder)
    scores = batch_of(folder, TEXTS).by_word(leave_one_out(model, batch_of(folder, TEXTS)), 7)[2]
    assert scores[0] == scores[1] == scores[2]
    assert scores[4] == scores[5]
    assert len(set(scores[:6].tolist())) == 3
    asked = batch_of(folder, TEXTS, QUERIES)
    scores = asked.by_word(leave_one_out(model, asked), 9)[2]
    assert scores[5] != scores[6]
    assert scores[7] == scores[8]


@torch.no_grad()
def test_dropping_the_states_of_a_word_projects_the_other_energies_again(folder: Path) -> None:
    batch = batch_of(folder, TEXTS)
    assert batch.word is not None
    spec = {"projection": "softmax"}
    model = encoder_under_attention(folder, 3, **spec).double()
    hidden = model.encode(model.embed(batch), batch)
    energies, whole = model.score(hidden, batch), model(batch).logits
    found = batch.by_word(leave_one_out_hidden(model, batch), 7)
    for row, text in enumerate(TEXTS):
        count = len(text.split())
        for number in range(count if count > 1 else 0):
            left = batch.scorable[row] & (batch.word[row] != number)
            weights = energies[row][left].softmax(dim=0)
            logits = model.decoder((weights[:, None] * hidden[row][left]).sum(dim=0)[None])
            expected = total_variation(logits, whole[row : row + 1])
            assert found[row, number].item() == pytest.approx(expected.item(), abs=1e-9)
    assert found[1].isnan().all()


@torch.no_grad()
def test_imposed_weights_stay_in_proportion_when_a_word_goes(folder: Path) -> None:
    batch = batch_of(folder, TEXTS)
    assert batch.word is not None
    model = PermutedAttention(encoder_under_attention(folder, 3), seed=0)
    whole = model(batch)
    found = batch.by_word(leave_one_out(model, batch), 7)
    for number in range(7):
        kept = batch.mask[:1] & (batch.word[:1] != number)
        one = batch.take(torch.tensor([0]))
        shorter = one.keeping(kept)
        weights = (whole.attention[:1] * kept)[kept][None]
        hidden = model.encode(model.embed(shorter), shorter)
        logits = model.decode(hidden, weights / weights.sum(), shorter)
        expected = total_variation(logits, whole.logits[:1])
        assert found[0, number].item() == pytest.approx(expected.item(), abs=1e-6)


def gradients_by_hand(model: AttentionModel, batch: Batch) -> tuple[Tensor, Tensor]:
    """Differentiate the probability of the predicted class: e · ∂y/∂e and ‖∂y/∂e‖ of every piece."""
    embedded = model.embed(batch).detach().requires_grad_()
    outputs = model.resume(embedded, batch).logits.softmax(dim=1)
    (slope,) = torch.autograd.grad(outputs.max(dim=1).values.sum(), embedded)
    return (slope * embedded).sum(dim=-1).detach(), slope.norm(dim=-1)


@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
def test_gradients_of_a_word_are_those_of_its_pieces_added_up(folder: Path, make: Make) -> None:
    model, batch = make(folder, 3).double(), batch_of(folder, TEXTS)
    assert batch.word is not None
    products, norms = gradients_by_hand(model, batch)
    by_gradient = batch.by_word(gradient(model, batch, detach_attention=False), 7)
    by_norm = batch.by_word(gradient_norm(model, batch), 7)
    for row, text in enumerate(TEXTS):
        total = norms[row][batch.scorable[row]].sum()
        for number in range(len(text.split())):
            pieces = batch.word[row] == number
            assert torch.isclose(by_gradient[row, number], products[row][pieces].sum().abs())
            assert torch.isclose(by_norm[row, number], norms[row][pieces].sum() / total)


def test_a_classifiers_weights_cannot_be_held(folder: Path) -> None:
    model, batch = classifier(folder, 3).double(), batch_of(folder, TEXTS)
    held, passed = (gradient(model, batch, detach_attention=held) for held in (True, False))
    assert torch.equal(held.nan_to_num(), passed.nan_to_num())


@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
@pytest.mark.parametrize("name", [entry.name for entry in MEASURES])
def test_scores_are_the_same_alone_and_padded(folder: Path, make: Make, name: str) -> None:
    model, batch, score = make(folder, 3).double(), batch_of(folder, TEXTS), cheap(name)
    skip_if_refused(name, model)
    together = batch.by_word(score(model, batch), 7)
    for row, text in enumerate(TEXTS):
        alone = replace(batch_of(folder, [text]), ids=batch.ids[row : row + 1])
        scores = alone.by_word(score(model, alone), 7)[0]
        assert torch.allclose(scores, together[row], atol=1e-7, equal_nan=True)
        assert int((~scores.isnan()).sum()) in (len(text.split()), 0)


@torch.no_grad()
def test_words_put_together_decide_alike_whatever_words_are_erased(folder: Path) -> None:
    model, batch = encoder_under_attention(folder, 3), batch_of(folder, TEXTS)
    assert batch.word is not None
    read = words_read(model, batch, np.arange(3), 7)
    assert torch.allclose(read.readout.decode(read.attention).float(), model(batch).logits, atol=1e-6)
    assert torch.equal(read.mask.sum(dim=1), torch.tensor([7, 1, 6]))
    hidden = model.encode(model.embed(batch), batch)
    attention = model.attend(hidden, batch)
    for gone in range(6):
        of_words = read.attention.clone()
        of_words[:, gone] = 0
        of_pieces = attention * (batch.word != gone)
        weights = [values / values.sum(dim=1, keepdim=True) for values in (of_words, of_pieces)]
        expected = model.decode(hidden, weights[1].float(), batch)
        found = read.readout.decode(weights[0]).float()
        rows = [0, 2] if gone == 0 else [0, 1, 2]
        assert torch.allclose(found[rows], expected[rows], atol=1e-5)
