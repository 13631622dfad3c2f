"""Pieces about some texts at a time come back in the order of the split; findings of seeds, stacked."""

from dataclasses import replace

import numpy as np
import torch
from toy_evidence import LENGTHS, evidence

from attex.analyses.pieces import put_together


def test_pieces_come_back_in_the_order_of_the_split() -> None:
    order = [np.array([3, 0]), np.array([4]), np.array([2, 1])]
    numbers = [torch.from_numpy(chosen) for chosen in order]
    pieces = [
        (chosen, {"plain": n.double(), "wide": n[:, None] * torch.ones(1, 2).half(), "odd": n % 2 == 1})
        for chosen, n in zip(order, numbers, strict=True)
    ]
    whole = put_together(pieces, 5)
    assert whole["plain"].tolist() == [0, 1, 2, 3, 4]
    assert whole["wide"].tolist() == [[n, n] for n in range(5)]
    assert whole["odd"].tolist() == [False, True, False, True, False]
    assert {name: column.dtype for name, column in whole.items()} == {
        "plain": torch.float64,
        "wide": torch.float16,
        "odd": torch.bool,
    }


def test_findings_are_stacked_by_seed() -> None:
    given = evidence(seeds=3)
    seeds = tuple(
        replace(seed, findings={"number": torch.full((len(LENGTHS),), float(seed.seed))})
        for seed in given.seeds
    )
    known = replace(given, seeds=seeds)
    assert known.findings == {"number"}
    assert known.stacked("number").tolist() == [[float(n)] * len(LENGTHS) for n in (0, 1, 2)]
    assert known.numbers == (0, 1, 2)
    assert known.predicted.tolist() == [(s.logits[:, 0] > 0).int().tolist() for s in given.seeds]
