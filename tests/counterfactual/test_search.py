"""The search against autograd, torch's own optimiser and the exact maximum."""

import math
from itertools import combinations

import pytest
import torch
from scipy.stats import kstest
from torch import Tensor

from attex.counterfactual import adversarial_exact, adversarial_search
from attex.counterfactual.climb import Aim, Climb, Rows
from attex.foundations.divergences import jensen_shannon, total_variation
from attex.foundations.draws import normals
from attex.models.decoder import Readout

BIAS = 0.2


def texts(count: int, length: int, outputs: int = 1, seed: int = 0) -> tuple[Readout, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    values = 2 * torch.randn(count, length, outputs, generator=generator).double()
    mask = torch.arange(length) < torch.randint(2, length + 1, (count, 1), generator=generator)
    energies = torch.randn(count, length, generator=generator).double().masked_fill(~mask, -torch.inf)
    return Readout(values, lambda c: c + BIAS, linear=True), energies.softmax(dim=1), mask


def divergence_of(p: Tensor, q: Tensor) -> Tensor:
    middle = (p + q) / 2
    return (p * (p / middle).log() + q * (q / middle).log()).sum(dim=-1) / 2


def as_published(readout: Readout, attention: Tensor, mask: Tensor, steps: int, cross: float) -> Tensor:
    """Algorithm 3 with autograd and torch's Adam, one text and float64: the last candidates."""
    n = int(mask.sum())
    start = 3.0 * normals(torch.zeros(1, dtype=torch.long), mask, 5, 0)[0, :, :n]
    energies = start.clone().requires_grad_()
    optimiser = torch.optim.Adam([energies], lr=0.01, amsgrad=True)
    q, values = attention[0, :n], readout.values[0, :n]
    whole = readout.head(q @ values)

    for _ in range(steps):
        weights = energies.softmax(dim=-1)
        logits = readout.head(weights @ values)
        gap = (logits.softmax(-1) - whole.softmax(-1)).abs().sum(-1) / 2
        if logits.shape[-1] == 1:
            gap = (logits.sigmoid() - whole.sigmoid()).abs()[:, 0]
        apart = sum(divergence_of(weights[i], weights[j]) for i, j in combinations(range(5), 2))
        loss = 500 * (gap - 0.01).clamp(min=0).sum() - divergence_of(weights, q).sum() - cross * apart
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return energies.detach().softmax(dim=-1)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize(("cross", "factor"), [("paper", 1 / 20), ("released", 2 / 25)])
def test_the_way_is_that_of_autograd_and_adam(outputs: int, cross: str, factor: float) -> None:
    for seed in range(4):
        readout, attention, mask = texts(1, 7, outputs, seed)
        last = as_published(readout, attention, mask, 30, factor)
        whole = readout.decode(attention)
        gaps = total_variation(readout.head(last @ readout.values[0, : last.shape[1]]), whole)
        jsd = jensen_shannon(last, attention[0, : last.shape[1]]).where(gaps <= 0.3, 0.0)
        found, _ = adversarial_search(
            readout,
            attention,
            mask,
            steps=30,
            keep="last",
            accept=0.3,
            cross=cross,
            patience=None,  # type: ignore[arg-type]
        )
        assert float(found) == pytest.approx(float(jsd.max()), abs=2e-4)


@pytest.mark.parametrize("epsilon", [0.01, 0.1])
def test_it_never_beats_the_exact_maximum_and_is_feasible(epsilon: float) -> None:
    readout, attention, mask = texts(60, 12)
    found, other = adversarial_search(readout, attention, mask, epsilon=epsilon, steps=150)
    exact, _ = adversarial_exact(readout.values[..., 0], attention, mask, BIAS, epsilon)
    assert (found <= exact + 1e-6).all()
    assert float(found.mean()) > 0.1
    assert (other[~mask] == 0).all()
    torch.testing.assert_close(other.sum(dim=1), torch.ones(60).double(), atol=1e-6, rtol=0)
    assert (total_variation(readout.decode(other), readout.decode(attention)) <= epsilon).all()
    torch.testing.assert_close(found, jensen_shannon(other, attention))


def test_with_enough_steps_it_comes_near_the_exact_maximum_on_most_texts() -> None:
    readout, attention, mask = texts(30, 8)
    found, _ = adversarial_search(
        readout, attention, mask, steps=3000, lr=0.1, candidates=15, penalty=20.0, patience=None
    )
    exact, _ = adversarial_exact(readout.values[..., 0], attention, mask, BIAS, 0.01)
    assert float((found >= 0.99 * exact).double().mean()) > 0.6


def test_company_and_padding_change_nothing() -> None:
    readout, attention, mask = texts(5, 9)
    ids = torch.tensor([3, 1, 4, 15, 9])
    together, weights = adversarial_search(readout, attention, mask, steps=40, ids=ids)
    for row in range(5):
        n = int(mask[row].sum())
        alone, own = adversarial_search(
            Readout(readout.values[row : row + 1, :n], readout.head, linear=True),
            attention[row : row + 1, :n],
            mask[row : row + 1, :n],
            steps=40,
            ids=ids[row : row + 1],
        )
        assert float(alone) == pytest.approx(float(together[row]), abs=1e-4)
        torch.testing.assert_close(own[0], weights[row, :n], atol=1e-3, rtol=0)


def test_texts_that_are_done_stop_and_lose_little() -> None:
    readout, attention, mask = texts(40, 10)
    whole, _ = adversarial_search(readout, attention, mask, steps=400, patience=None)
    early, _ = adversarial_search(readout, attention, mask, steps=400, patience=100)
    assert (early <= whole + 1e-9).all()
    assert float(early.mean()) > 0.9 * float(whole.mean())


def test_nothing_feasible_is_no_change_at_all() -> None:
    readout, attention, mask = texts(3, 6)
    found, other = adversarial_search(readout, attention, mask, epsilon=0.0, steps=5)
    assert found.tolist() == [0.0, 0.0, 0.0]
    torch.testing.assert_close(other, attention)
    empty, _ = adversarial_search(readout, attention, torch.zeros_like(mask), steps=2)
    assert empty.isnan().all()


def test_a_layer_in_the_head_is_followed() -> None:
    values = torch.randn(4, 6, 5, generator=torch.Generator().manual_seed(1))
    layer = torch.randn(5, 3, generator=torch.Generator().manual_seed(2))
    readout = Readout(values, lambda c: torch.tanh(c) @ layer, linear=False)
    attention = torch.full((4, 6), 1 / 6)
    found, other = adversarial_search(
        readout, attention, torch.ones(4, 6, dtype=torch.bool), epsilon=0.05
    )
    gap = total_variation(readout.decode(other.float()), readout.decode(attention))
    assert (gap <= 0.05 + 1e-6).all()
    assert float(found.min()) > 0.05


def test_noise_is_normal() -> None:
    drawn = normals(torch.arange(40), torch.ones(40, 25, dtype=torch.bool), 5, seed=3).flatten()
    assert kstest(drawn.numpy(), "norm").pvalue > 1e-3
    assert abs(float(drawn.mean())) < 5 / math.sqrt(len(drawn))


def test_a_gradient_is_spared_where_there_is_none() -> None:
    values = 2 * torch.randn(6, 1, 9, 4, generator=torch.Generator().manual_seed(5))
    layer = torch.randn(4, 3, generator=torch.Generator().manual_seed(6))
    mask = torch.ones(6, 9, dtype=torch.bool)
    mask[0, 7:] = False
    weights = (mask / mask.sum(dim=1, keepdim=True)).double()[:, None]
    aim = Aim(0.1, 500.0, 1 / 20, l1=False, accept=0.1)
    start = 3.0 * normals(torch.arange(6), mask, 5, 0)[:, None]
    found, went_back = [], []
    for dear in (False, True):
        counts = {True: 0, False: 0}

        def logits(mixed: Tensor, texts: Tensor, counts: dict[bool, int] = counts) -> Tensor:
            counts[torch.is_grad_enabled()] += len(mixed)
            return torch.tanh(mixed[:, 0]) @ layer

        rows = Rows(weights, mask, torch.ones(6, 1), values, logits, dear)
        with torch.no_grad():
            found.append(Climb(rows, start, aim).run(60, 0.1, True, None))
        went_back.append(counts[True])
    assert went_back[0] == 6 * 5 * 60, "all candidates of all steps but the last, which no step follows"
    assert 0 < went_back[1] < went_back[0] / 2
    torch.testing.assert_close(found[1], found[0], atol=1e-4, rtol=0)
    assert float(jensen_shannon(found[0], weights).max()) > 0.1


@pytest.mark.parametrize("candidates", [1, 2, 3, 4])
def test_every_pair_of_candidates_is_led_apart_once(candidates: int) -> None:
    # Heads that say nothing, and a row that is all but even: candidates leave it, and each other.
    readout = Readout(torch.zeros(1, 6, 1), lambda c: c, linear=True)
    own, mask = torch.full((1, 6), 1 / 6).double(), torch.ones(1, 6, dtype=torch.bool)
    _, found = adversarial_search(
        readout, own, mask, steps=20, candidates=candidates, lr=0.1, keep="last", patience=None
    )
    energies = 3.0 * normals(torch.zeros(1, dtype=torch.long), mask, candidates, 0)[0]
    energies.requires_grad_()
    optimiser = torch.optim.Adam([energies], lr=0.1, amsgrad=True)
    for _ in range(20):
        weights = energies.softmax(dim=-1)
        pairs = [divergence_of(weights[i], weights[j]) for i, j in combinations(range(candidates), 2)]
        apart = sum(pairs, torch.zeros(())) / (candidates * max(1, candidates - 1))
        optimiser.zero_grad()
        (-divergence_of(weights, own[0]).sum() - apart).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    last = energies.detach().softmax(dim=-1)
    expected = last[jensen_shannon(last, own[0]).argmax()]
    torch.testing.assert_close(found[0], expected.double(), atol=2e-4, rtol=0)
