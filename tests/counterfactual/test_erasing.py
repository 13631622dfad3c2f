"""Erasing tokens, against loops over tokens and over all sets of tokens."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from itertools import combinations, permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import chisquare
from torch import Tensor

from attex.counterfactual.erasing import (
    Eraser,
    decision,
    other_token,
    random_scores,
)
from attex.foundations.divergences import distribution, output_divergence
from attex.models.decoder import Readout

LENGTHS = [1, 2, 9, 5, 7, 3, 8, 6]
Head = Callable[[Tensor], Tensor]
Texts = tuple[Readout, Tensor, Tensor]


def adding(outputs: int) -> Head:
    bias = torch.linspace(-0.3, 0.4, outputs, dtype=torch.float64)
    return lambda values: values + bias


def bending(values: Tensor) -> Tensor:
    weight = torch.arange(15, dtype=values.dtype).reshape(5, 3).sin()
    return 3 * torch.tanh(2 * values) @ weight


HEADS = {
    "sigmoid": (1, adding(1), True),
    "two": (2, adding(2), True),
    "softmax": (4, adding(4), True),
    "not linear": (5, bending, False),
}


def make_texts(
    kind: str = "sigmoid",
    lengths: list[int] = LENGTHS,
    seed: int = 0,
    sparse: bool = False,
    scale: float = 1.0,
    extra: int = 2,
) -> Texts:
    """Draw texts with large values where there is padding; a length is always the same text."""
    width, head, linear = HEADS[kind]
    shape = len(lengths), max(lengths) + extra
    values, attention = torch.full((*shape, width), 99.0).double(), torch.zeros(shape).double()
    for row, n in enumerate(lengths):
        rng = np.random.default_rng([seed, n])
        weights = rng.dirichlet(np.full(n, 0.6))
        if sparse:
            weights = np.maximum(weights - np.median(weights), 0) + (n == 1)
        values[row, :n] = torch.from_numpy(scale * rng.normal(size=(n, width)))
        attention[row, :n] = torch.from_numpy(weights / weights.sum())
    mask = torch.arange(shape[1]) < torch.tensor(lengths)[:, None]
    return Readout(values, head, linear), attention, mask


def logits_without(texts: Texts, row: int, erased: set[int]) -> Tensor | None:
    """The definition, for one text."""
    readout, attention, mask = texts
    left = [t for t in range(int(mask[row].sum())) if t not in erased and attention[row, t] > 0]
    if not left:
        return None
    weights = attention[row, left] / attention[row, left].sum()
    return readout.head(sum(w * v for w, v in zip(weights, readout.values[row, left], strict=True)))


def decided(logits: Tensor) -> int:
    full = [0.0, *logits.tolist()] if len(logits) == 1 else logits.tolist()
    return full.index(max(full))


Decide = Callable[[set[int]], int | None]
"""The class without some tokens, None if no weight is left."""


def deciding(texts: Texts, row: int) -> Decide:
    def decide(erased: set[int]) -> int | None:
        logits = logits_without(texts, row, erased)
        return None if logits is None else decided(logits)

    return decide


def first_flip(decide: Decide, scores: list[float]) -> float:
    """Erase one token after the other."""
    order = sorted(range(len(scores)), key=lambda t: (-scores[t], t))
    for k in range(1, len(order)):
        if decide(set(order[:k])) not in (None, decide(set())):
            return k
    return float("nan")


def first_flips(texts: Texts, scores: Tensor) -> list[float]:
    lengths = texts[2].sum(dim=1).tolist()
    rows = zip(scores.tolist(), lengths, strict=True)
    return [first_flip(deciding(texts, i), row[:n]) for i, (row, n) in enumerate(rows)]


def fewest(decide: Decide, n: int) -> float:
    """Try all sets of tokens."""
    for k in range(1, n):
        if any(decide({*erased}) not in (None, decide(set())) for erased in combinations(range(n), k)):
            return k
    return float("nan")


def smallest(texts: Texts) -> Tensor:
    eraser = Eraser(*texts)
    support = eraser.support()
    assert support is not None
    return eraser.flipping_prefix(support)


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_prefixes_are_those_of_a_loop(kind: str, sparse: bool, seed: int) -> None:
    texts = make_texts(kind, seed=seed, sparse=sparse)
    eraser = Eraser(*texts)
    tied = (texts[1] * 5).round()
    ids = torch.arange(len(LENGTHS))
    slope = eraser.weight_gradient()
    for scores in (texts[1], slope, slope * texts[1], tied, -texts[1], random_scores(texts[2], ids)):
        expected = first_flips(texts, scores)
        assert eraser.flipping_prefix(scores).tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("kind", ["sigmoid", "two"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_the_order_of_support_finds_the_smallest_set(kind: str, sparse: bool, seed: int) -> None:
    lengths = [1, 2, 5, 8, 10]
    texts = make_texts(kind, lengths, seed, sparse)
    expected = [fewest(deciding(texts, row), n) for row, n in enumerate(lengths)]
    assert smallest(texts).tolist() == pytest.approx(expected, nan_ok=True)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 3)), min_size=1, max_size=5),
    st.integers(-3, 3),
    st.integers(-2, 2),
)
def test_the_smallest_set_where_tokens_cancel_or_weigh_nothing(
    tokens: list[tuple[int, int]], last: int, bias: int
) -> None:
    # Sixteenths and whole numbers: sums are exact, and so are ties at a logit of 0.
    tokens = [*tokens, (16 - sum(weight for weight, _ in tokens), last)]
    attention = torch.tensor([[weight for weight, _ in tokens]]).double() / 16
    values = torch.tensor([[value for _, value in tokens]]).double()
    readout = Readout(values.unsqueeze(-1), lambda v: v + bias, True)
    texts = readout, attention, torch.ones_like(attention, dtype=torch.bool)

    def decide(erased: set[int]) -> int | None:
        left = [token for t, token in enumerate(tokens) if t not in erased]
        total = sum(weight * (value + bias) for weight, value in left)
        return int(total > 0) if any(weight for weight, _ in left) else None

    assert smallest(texts).tolist() == pytest.approx([fewest(decide, len(tokens))], nan_ok=True)
    loop = [first_flip(decide, attention[0].tolist())]
    assert Eraser(*texts).flipping_prefix(attention).tolist() == pytest.approx(loop, nan_ok=True)


@pytest.mark.parametrize("kind", ["softmax", "not linear"])
def test_there_is_no_smallest_set_in_closed_form_for_others(kind: str) -> None:
    assert Eraser(*make_texts(kind)).support() is None


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("sparse", [False, True])
def test_one_token_erased_is_the_definition(kind: str, sparse: bool) -> None:
    texts = make_texts(kind, sparse=sparse)
    ids = torch.arange(len(LENGTHS))
    found = Eraser(*texts).top_against_random(ids)
    top = texts[1].argmax(dim=1)
    tokens = {"top": top, "random": other_token(top, texts[2], ids)}
    undefined = 0
    for row, n in enumerate(LENGTHS):
        whole = logits_without(texts, row, set())
        if n < 2 or int((texts[1][row] > 0).sum()) < 2:
            undefined += 1
            assert all(values[row].isnan() for values in found.values())
            continue
        for name, chosen in tokens.items():
            token = int(chosen[row])
            logits = logits_without(texts, row, {token})
            assert whole is not None
            assert logits is not None
            distance = jensenshannon(distribution(whole), distribution(logits)) ** 2
            assert float(found[f"js_{name}"][row]) == pytest.approx(distance, abs=1e-14)
            assert bool(found[f"flip_{name}"][row]) == (decided(logits) != decided(whole))
            assert found[f"weight_{name}"][row] == texts[1][row, token]
            if texts[1][row, token] == 0:
                assert found[f"js_{name}"][row] == 0
    assert undefined >= 1 + sparse


def test_nothing_erased_is_the_models_own_output_even_if_weight_was_lost() -> None:
    for kind in HEADS:
        readout, attention, mask = make_texts(kind)
        for share in (1.0, 0.7):
            found = Eraser(readout, share * attention, mask).without()
            assert torch.allclose(found, readout.decode(share * attention), atol=1e-13)


@pytest.mark.parametrize("kind", HEADS)
def test_company_padding_order_and_memory_change_nothing(kind: str) -> None:
    texts = make_texts(kind)
    ids = torch.arange(len(LENGTHS)) + 7

    def all_of(texts: Texts, ids: Tensor, budget: int = 2**28) -> Tensor:
        eraser = Eraser(*texts)
        scores = (texts[1], eraser.weight_gradient(), random_scores(texts[2], ids))
        prefixes = [eraser.flipping_prefix(each, budget) for each in scores]
        return torch.stack([*eraser.top_against_random(ids).values(), *prefixes])

    together = all_of(texts, ids)
    assert torch.allclose(all_of(texts, ids, budget=1), together, equal_nan=True)
    for row, n in enumerate(LENGTHS):
        alone = make_texts(kind, [n], extra=0)
        found = all_of(alone, ids[row : row + 1])[:, 0]
        assert torch.allclose(found, together[:, row], atol=1e-13, equal_nan=True)
    mirrored = [row for row, _ in enumerate(LENGTHS)][::-1]
    readout = Readout(texts[0].values[mirrored], texts[0].head, texts[0].linear)
    found = all_of((readout, texts[1][mirrored], texts[2][mirrored]), ids[mirrored])
    assert torch.allclose(found, together[:, mirrored], atol=1e-13, equal_nan=True)


@pytest.mark.parametrize("kind", ["sigmoid", "softmax"])
def test_saturated_outputs_still_flip_and_differ(kind: str) -> None:
    mild, strong = make_texts(kind, seed=3, scale=30), make_texts(kind, seed=3, scale=3e5)
    found = Eraser(*strong)
    expected = first_flips(strong, strong[1])
    assert found.flipping_prefix(strong[1]).tolist() == pytest.approx(expected, nan_ok=True)
    single = found.top_against_random(torch.arange(len(LENGTHS)))
    assert (single["js_top"][1:] >= 0).all()
    assert (single["js_top"] <= np.log(2) + 1e-12).logical_or(single["js_top"].isnan()).all()
    slopes = Eraser(*mild).weight_gradient()
    assert all(len(set(row[:n].tolist())) == n for row, n in zip(slopes, LENGTHS, strict=True))


def test_what_little_weight_is_left_decides() -> None:
    weights = [1.0, 2e-17, 1e-17, 0.0, 1e-30]
    values = torch.tensor([5.0, 4.0, -9.0, -9.0, 3.0], dtype=torch.float64)
    attention = torch.tensor([weights], dtype=torch.float64)
    texts = Readout(values[None, :, None], adding(1), True), attention, attention >= 0
    assert Eraser(*texts).flipping_prefix(attention).tolist() == [1]
    assert Eraser(*texts).flipping_prefix(torch.tensor([[3.0, 2, 4, 5, 1]])).isnan().all()
    assert Eraser(*texts).top_against_random(torch.zeros(1).long())["flip_top"].tolist() == [1]


def test_weight_where_nothing_counts_is_no_weight() -> None:
    readout, attention, mask = make_texts()
    found = [
        torch.stack([*eraser.top_against_random(torch.arange(len(LENGTHS))).values(), smallest(texts)])
        for texts in ((readout, attention, mask), (readout, attention.where(mask, 7.0), mask))
        for eraser in [Eraser(*texts)]
    ]
    assert torch.allclose(*found, equal_nan=True)


def test_a_measure_that_is_undefined_gives_no_order() -> None:
    texts = make_texts(lengths=[9, 9])
    scores = texts[1].clone()
    scores[0, 4] = torch.nan
    scores[1, 9:] = torch.nan
    found = Eraser(*texts).flipping_prefix(scores)
    assert found[0].isnan()
    assert float(found[1]) == pytest.approx(first_flips(texts, texts[1])[1], nan_ok=True)


def exact_divergence(a: list[float], b: list[float]) -> Decimal:
    with localcontext() as context:
        context.prec = 120
        outputs = []
        for logits in (a, b):
            powers = [Decimal(z).exp() for z in (logits if len(logits) > 1 else [0.0, *logits])]
            outputs.append([power / sum(powers) for power in powers])
        total = Decimal(0)
        for p, q in zip(*outputs, strict=True):
            total += p * (2 * p / (p + q)).ln() / 2 + q * (2 * q / (p + q)).ln() / 2
        return total


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0.3], [-2.0]),
        ([0.3], [0.3 + 2**-30]),
        ([40.0], [60.0]),
        ([-45.0], [-44.5]),
        ([-200.0], [100.0]),
        ([1.0, 2.0, -3.0], [0.5, 2.5, 1.0]),
        ([50.0, 0.0, 1.0], [60.0, 0.5, 0.0]),
        ([300.0, 0.0], [0.0, 300.0]),
    ],
)
def test_divergence_keeps_its_digits_where_outputs_saturate(a: list[float], b: list[float]) -> None:
    found = output_divergence(*(torch.tensor(z, dtype=torch.float64) for z in (a, b)))
    assert float(found) == pytest.approx(float(exact_divergence(a, b)), rel=1e-5, abs=0)


def test_equal_outputs_do_not_diverge() -> None:
    logits = torch.tensor([[3.0, 3.0], [-90.0, 700.0]]).double()
    assert (output_divergence(logits, logits) == 0).all()


def test_a_logit_of_0_is_the_first_class() -> None:
    assert decision(torch.tensor([[0.0], [1e-300], [-1.0]], dtype=torch.float64)).tolist() == [0, 1, 0]
    assert decision(torch.tensor([[2.0, 2.0, 1.0], [0.0, 1.0, 1.0]])).tolist() == [0, 1]


@pytest.mark.parametrize("kind", HEADS)
def test_the_slope_is_that_of_the_decided_output(kind: str) -> None:
    readout, attention, mask = make_texts(kind)
    slope = Eraser(readout, attention, mask).weight_gradient()
    chosen = distribution(readout.decode(attention)).argmax(dim=1, keepdim=True)
    step, expected = 1e-6, torch.zeros_like(attention)
    for t in range(attention.shape[1]):
        moved = [attention.clone(), attention.clone()]
        moved[0][:, t] += step
        moved[1][:, t] -= step
        up, down = (distribution(readout.decode(each)).gather(1, chosen)[:, 0] for each in moved)
        expected[:, t] = (up - down) / (2 * step)
    own = distribution(readout.decode(attention)).gather(1, chosen)
    scaled = slope * own * (1 - own)
    assert torch.allclose(scaled[mask], expected[mask], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("top", [0, 2, 4])
def test_the_other_token_is_any_but_the_top_one(top: int) -> None:
    ids = torch.arange(4000)
    mask = torch.tensor([True] * 5 + [False] * 2).expand(4000, -1)
    counts = Counter(other_token(torch.full((4000,), top), mask, ids).tolist())
    assert set(counts) == set(range(5)) - {top}
    assert chisquare([*counts.values()]).pvalue > 1e-3


def test_the_random_order_is_any_order_and_not_that_of_the_other_token() -> None:
    ids = torch.arange(6000)
    mask = torch.ones(6000, 3, dtype=torch.bool)
    drawn = random_scores(mask, ids).argsort(dim=1)
    counts = Counter(tuple(order) for order in drawn.tolist())
    assert chisquare([counts[order] for order in permutations(range(3))]).pvalue > 1e-3
    others = other_token(torch.zeros_like(ids), mask, ids)
    pairs = Counter(zip(others.tolist(), drawn[:, 0].tolist(), strict=True))
    assert chisquare([pairs[other, first] for other in (1, 2) for first in range(3)]).pvalue > 1e-3
