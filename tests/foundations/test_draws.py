"""Draws: the same in any company, uniform, and independent."""

from collections import Counter
from itertools import permutations as orders

import pytest
import torch
from scipy.stats import chisquare

from attex.foundations.draws import mix, numbers, permutations


def test_mix_is_splitmix64() -> None:
    # The generator's first outputs from state 0 (Vigna's reference implementation).
    golden = 0x9E3779B97F4A7C15 - 2**64
    states = torch.tensor([1, 2, 3]) * golden
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [x % 2**64 for x in mix(states).tolist()] == expected


def test_a_permutation_keeps_what_does_not_count_and_shuffles_the_rest() -> None:
    mask = torch.tensor([[1, 1, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]]).bool()
    drawn = permutations(torch.arange(3), mask, 50, seed=1)
    position = torch.arange(6)
    assert (drawn.sort(dim=-1).values == position).all()
    assert ((drawn == position) | mask[:, None]).all()
    assert mask[:, None].expand(-1, 50, -1).gather(-1, drawn).eq(mask[:, None]).all()


@pytest.mark.parametrize("holes", [False, True])
def test_company_padding_holes_and_pieces_change_nothing(holes: bool) -> None:
    ids = torch.tensor([7, 123456789, -4])
    lengths = torch.tensor([4, 6, 1])
    mask = torch.arange(9) < lengths[:, None]
    together = permutations(ids, mask, 20, seed=3)
    for row, length in enumerate(lengths.tolist()):
        where = torch.arange(length) * (2 if holes else 1)
        alone = torch.zeros(1, int(where[-1]) + 1, dtype=torch.bool)
        alone[0, where] = True
        first = permutations(ids[row : row + 1], alone, 8, seed=3)
        rest = permutations(ids[row : row + 1], alone, 12, seed=3, start=8)
        found = torch.cat([first, rest], dim=1)[0][:, where]
        assert (found == where[together[row, :, :length]]).all()


def test_texts_seeds_and_draws_differ() -> None:
    mask = torch.ones(2, 30, dtype=torch.bool)
    one = permutations(torch.tensor([0, 1]), mask, 2, seed=0)
    other = permutations(torch.tensor([0, 1]), mask, 2, seed=1)
    rows = torch.cat([one, other]).flatten(0, 1)
    assert len({tuple(row.tolist()) for row in rows}) == len(rows)


def test_every_order_is_equally_likely() -> None:
    mask = torch.ones(50, 4, dtype=torch.bool)
    drawn = permutations(torch.arange(50), mask, 480, seed=5).flatten(0, 1)
    counts = Counter(tuple(row.tolist()) for row in drawn)
    assert chisquare([counts[order] for order in orders(range(4))]).pvalue > 1e-3


def test_bits_are_balanced() -> None:
    drawn = numbers(torch.arange(200), torch.ones(200, 20, dtype=torch.bool), 25, seed=0).flatten()
    shares = torch.stack([((drawn >> bit) & 1).double().mean() for bit in range(64)])
    assert (shares - 0.5).abs().max() < 5 * 0.5 / len(drawn) ** 0.5
