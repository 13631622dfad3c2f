"""Scores that are equal in exact arithmetic are equal to the bit, and others are not."""

import copy
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from toys import KINDS, PAD, WORD_ENCODERS, cheap, make_batch, make_model, measures_of, rows_of

from attex.data.batch import Batch
from attex.foundations.devices import choose_device
from attex.foundations.divergences import total_variation
from attex.importance import leave_one_out, leave_one_out_hidden
from attex.importance.measure import MEASURES
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder
from attex.models.encoders.average import Average
from attex.models.imposed import PermutedAttention

LENGTHS = [9, 1, 14, 2, 11, 6]
SAME, OTHER = 1e-12, 1e-9
"""Twice the same sum differs by less in float64, and two scores of different texts by more."""

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


ROUNDED = {"matmul", "__matmul__", "linear", "sum", "softmax", "cumsum", "tanh", "exp", "sigmoid"}
"""What a machine rounds as the shape and the place in it suit it, by their names in torch."""


class OtherRounding(TorchFunctionMode):
    """Rounds as another machine may: the last bit depends on the shape, and on the place in it."""

    def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        result = function(*args, **(kwargs or {}))
        if function.__name__ not in ROUNDED or not result.is_floating_point():
            return result
        if bool((args[0] % 1 == 0).all()):
            # Sums of whole numbers are exact on any machine.
            return result
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(sum(size * 31**place for place, size in enumerate(args[0].shape)))
            bits = torch.randint(-1, 2, result.shape).to(result)
        return result * (1 + bits * torch.finfo(result.dtype).eps)


class ReadAnew(Average):
    """The position-wise encoder, as one would write it without a thought of speed."""

    without_each = Encoder.without_each


def repetitive() -> Batch:
    """Texts of few words, some of which stand side by side: 4 4 4, 5 5 and the like."""
    batch = make_batch(LENGTHS, extra_padding=2)
    words = 4 + batch.tokens % 5
    words[:, 3] = words[:, 2]
    words[:, 6:8] = words[:, 5:6]
    # All of a text the same, and the same at its very end.
    words[5] = 7
    words[0, 9] = words[0, 8]
    return replace(batch, tokens=words.where(batch.scorable, batch.tokens))


def shortened(batch: Batch, row: int) -> Batch:
    """The text less each of its words, one variant after the other, built from lists of words."""
    text = batch.tokens[row][batch.mask[row]].tolist()
    variants = [text[:t] + text[t + 1 :] for t in range(1, len(text) - 1)]
    tokens = torch.tensor(variants)
    scorable = torch.ones_like(tokens, dtype=torch.bool)
    scorable[:, [0, -1]] = False
    ids = torch.zeros(len(variants), dtype=torch.long)
    return Batch(tokens, tokens != PAD, scorable, ids, ids)


def brute_force(model: AttentionModel, batch: Batch) -> list[Tensor]:
    """TVD(ŷ(x without t), ŷ(x)) of every word, each shortened text read anew in float64."""
    exact, changes = copy.deepcopy(model).double(), []
    for row, length in enumerate(batch.scorable.sum(dim=1).tolist()):
        with torch.no_grad():
            whole = exact(rows_of(batch, [row], length + 2)).logits
            without = exact(shortened(batch, row)).logits if length > 1 else whole * torch.nan
        changes.append(total_variation(without, whole.expand_as(without)))
    return changes


def pairs(values: Tensor, compare: Callable[[Tensor, Tensor], Tensor]) -> list[bool]:
    first, second = torch.triu_indices(len(values), len(values), offset=1)
    marks: list[bool] = compare(values[first], values[second]).tolist()
    return marks


def scored(scores: Tensor, batch: Batch) -> list[Tensor]:
    return [row[kept].cpu() for row, kept in zip(scores.cpu(), batch.scorable, strict=True)]


def ties_as_in(expected: list[Tensor], found: list[Tensor]) -> int:
    """Compare pair by pair, and return how many are tied."""
    ties = 0
    for exact, scores in zip(expected, found, strict=True):
        assert torch.allclose(scores, exact, atol=2e-5, equal_nan=True)
        same = pairs(exact, lambda a, b: (a - b).abs() < SAME)
        assert same == pairs(exact, lambda a, b: (a - b).abs() < OTHER), "the oracle can tell"
        assert pairs(scores, torch.eq) == same
        ties += sum(same)
    return ties


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_leave_one_out_has_the_ties_of_brute_force_and_no_others(
    kind: tuple[str, str, str], device: str
) -> None:
    model, batch = make_model(*kind, spread=0.5), repetitive()
    # A device that was chosen computes in full precision.
    chosen = choose_device(device)
    scores = leave_one_out(copy.deepcopy(model).to(chosen), batch.to(chosen))
    assert ties_as_in(brute_force(model, batch), scored(scores, batch)) > 20


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_ties_do_not_depend_on_how_a_machine_rounds(kind: tuple[str, str, str]) -> None:
    model, batch = make_model(*kind, spread=0.5), repetitive()
    with OtherRounding():
        scores = leave_one_out(model, batch)
    assert ties_as_in(brute_force(model, batch), scored(scores, batch)) > 20


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("encoder", [Average, ReadAnew])
@pytest.mark.parametrize("attention", ["sdp", "tanh"])
@pytest.mark.parametrize("projection", ["imposed", "sparsemax", "entmax15"])
def test_a_word_that_has_all_the_weight_may_go_if_it_is_said_again(
    projection: str, attention: str, encoder: type[Average], device: str
) -> None:
    model, batch = make_model("average", attention, projection, spread=2.5), make_batch([*range(2, 26)])
    model.encoder.__class__ = encoder
    # One word of weight and two of none: a seventh of a value, seven times, is seldom the value.
    energies = model.attention.score(torch.tanh(model.encoder.project(model.embedding.weight[4:])))
    words = 4 + energies.argsort()[[-1, 0, 1]]
    batch = replace(batch, tokens=words[batch.tokens % 3].where(batch.scorable, batch.tokens))
    expected = brute_force(model, batch)
    for measure in (leave_one_out, leave_one_out_hidden):
        ties_as_in(expected, scored(measure(copy.deepcopy(model).to(device), batch.to(device)), batch))
    assert sum(bool((row.abs() < SAME).all()) for row in expected) > 15, "there are such texts"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "entmax15"])
@pytest.mark.parametrize("encoder", ["average", "lstm", "cnn"])
def test_equal_words_with_other_imposed_weights_are_not_tied(
    encoder: str, projection: str, device: str
) -> None:
    base, batch = make_model(encoder, projection=projection, spread=0.5), repetitive()
    found = leave_one_out(PermutedAttention(copy.deepcopy(base).to(device), seed=1), batch.to(device))
    exact = copy.deepcopy(base).double()
    expected = []
    with torch.no_grad():
        imposed = PermutedAttention(exact, seed=1)(batch).attention
        for row, length in enumerate(LENGTHS):
            alone = rows_of(batch, [row], length + 2)
            weights = imposed[row, 1 : length + 1]
            whole = decoded(exact, alone, weights[None])
            variants = torch.stack([weights[torch.arange(length) != t] for t in range(length)])
            total = variants.sum(dim=1, keepdim=True)
            # Weights of which nothing is left are even.
            shares = (variants / total).where(total > 0, 1 / max(1, length - 1))
            without = decoded(exact, shortened(batch, row), shares) if length > 1 else whole * torch.nan
            expected.append(total_variation(without, whole.expand_as(without)))
    ties_as_in(expected, scored(found, batch))


def decoded(model: AttentionModel, batch: Batch, weights: Tensor) -> Tensor:
    hidden = model.encode(model.embed(batch), batch)[:, 1:-1]
    return model.decoder((weights[:, None] @ hidden)[:, 0])


def test_a_text_has_the_same_ties_alone_padded_and_in_any_batch() -> None:
    batch = repetitive()
    for encoder, (row, length) in product(["average", "lstm", "cnn"], enumerate(LENGTHS)):
        model = make_model(encoder)
        together = scored(leave_one_out(model, batch), batch)[row]
        for width in (length + 2, length + 9):
            alone = rows_of(batch, [row], width)
            assert pairs(scored(leave_one_out(model, alone), alone)[0], torch.eq) == pairs(
                together, torch.eq
            )


@pytest.mark.parametrize("encoder", [entry.name for entry in WORD_ENCODERS])
@pytest.mark.parametrize("count", [2, 3])
def test_one_word_said_again_and_again_is_scored_alone_and_without_markers(
    encoder: str, count: int
) -> None:
    model, tokens = make_model(encoder), torch.full((1, count), 9)
    real = torch.ones_like(tokens, dtype=torch.bool)
    batch = Batch(tokens, real, real, torch.zeros(1).long(), torch.zeros(1).long())
    shorter = Batch(tokens[:, 1:], real[:, 1:], real[:, 1:], batch.labels, batch.ids)
    change = total_variation(model(shorter).logits, model(batch).logits)
    found = leave_one_out(model, batch)
    assert (found - change[:, None]).abs().max() < 1e-6
    assert (found == found[:, :1]).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "measure", [name for name in measures_of("average") if MEASURES[name].facts["asks_model"]]
)
def test_equal_words_have_equal_scores_where_order_does_not_count(measure: str, device: str) -> None:
    # Of this width, and few at a time, products round differently from row to row.
    parts = {"embedding_width": 300, "encoder": {"type": "average", "hidden": 128}}
    model = assemble(MODELS.spec(parts), vocabulary_size=50, classes=3, seed=0).eval().to(device)
    torch.manual_seed(0)
    for parameter in model.attention.parameters():
        nn.init.normal_(parameter, std=0.5)
    by_chance = 0
    for seed in range(4):
        batch = make_batch([61, 23, 58], seed=seed)
        for words, scores in zip(
            scored(batch.tokens, batch),
            scored(cheap(measure)(model, batch.to(device)), batch),
            strict=True,
        ):
            equal, ties = pairs(words, torch.eq), pairs(scores, torch.eq)
            assert all(tie for same, tie in zip(equal, ties, strict=True) if same)
            by_chance += sum(ties) - sum(equal)
    # Of 15,000 pairs of single precision a few may be equal by chance.
    assert by_chance < 10


def test_every_encoder_says_rightly_whether_a_state_depends_on_its_own_word_only() -> None:
    batch = repetitive()
    for entry in WORD_ENCODERS:
        model = make_model(entry.name).double()
        states = model.encode(model.embed(batch), batch)
        same = (batch.tokens[:, :, None] == batch.tokens[:, None]) & batch.scorable[:, :, None]
        apart = (states[:, :, None] - states[:, None]).abs().amax(dim=-1)[same]
        assert bool((apart < SAME).all()) == model.encoder.position_wise
