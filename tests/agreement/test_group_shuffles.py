"""Shuffles within groups: against all permutations that leave every value in its group."""

from itertools import permutations, product

import numpy as np
import torch
from scipy.stats import kendalltau

from attex.agreement import kendall_tau
from attex.agreement.nulls import GroupShuffles
from attex.data.split import Split


def rows() -> tuple[torch.Tensor, ...]:
    drawn = torch.Generator().manual_seed(0)
    a, b = (torch.rand(2, 9, generator=drawn, dtype=torch.float64) for _ in range(2))
    groups = torch.tensor([[1, 2, 1, 3, 2, 1, 0, 0, 0], [2, 2, 2, 1, 1, 1, 1, 2, 5]])
    # Long words have high scores in both: most of what agrees is that.
    a, b = a + 2 * groups, b + 3 * groups
    mask = torch.tensor([[True] * 6 + [False] * 3, [True] * 4 + [False] + [True] * 4])
    return a, b, groups, mask


def test_the_mean_is_that_of_all_permutations_within_groups() -> None:
    a, b, groups, mask = rows()
    null = GroupShuffles(kendall_tau, draws=20_000)
    found = null.draw(a, b, groups, mask, torch.tensor([5, 6]), {})
    for row in range(2):
        kept = mask[row].numpy()
        x, y, of = (value[row].numpy()[kept] for value in (a, b, groups))
        places = [np.flatnonzero(of == group) for group in np.unique(of)]
        values = []
        for orders in product(*(permutations(place) for place in places)):
            moved = y.copy()
            for place, order in zip(places, orders, strict=True):
                moved[place] = y[list(order)]
            values.append(kendalltau(x, moved).statistic)
        assert abs(found.mean[row].item() - np.mean(values)) < 0.01
        assert abs(found.std[row].item() - np.std(values)) < 0.01
        assert np.mean(values) > 0.3, "chance is far above 0 where word length decides"


def test_draws_do_not_depend_on_the_batch() -> None:
    a, b, groups, mask = rows()
    null, ids = GroupShuffles(kendall_tau, draws=7), torch.tensor([5, 6])
    both = null.draw(a, b, groups, mask, ids, {}).values
    alone = null.draw(a[1:], b[1:], groups[1:], mask[1:], ids[1:], {}).values
    torch.testing.assert_close(both[1:], alone)


def test_pieces_are_counted_word_by_word() -> None:
    split = Split(
        words=torch.arange(5),
        starts=torch.tensor([0, 3, 5]),
        labels=torch.zeros(2),
        ids=torch.arange(2),
        names=["a", "b"],
        truth=None,
        pieces=torch.arange(10),
        piece_starts=torch.tensor([0, 6, 10]),
        piece_words=torch.tensor([-1, 0, 0, 1, 2, -1, -1, 0, 0, -1]),
    )
    assert split.pieces_per_word is not None
    assert split.pieces_per_word.tolist() == [2, 1, 1, 2, 0]
