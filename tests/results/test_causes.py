"""What is said of a difference to a published value."""

from typing import Any

import polars as pl
import pytest
from results.jain_wallace_2019.causes import Causes, is_study

ABOUT = {"dataset": "sst", "encoder": "lstm", "attention": "tanh", "projection": "softmax"}
PUBLISHED = 0.3512
"""τ(attention, gradient) of this model over all texts, Jain & Wallace's released results."""


class Finding:
    """An experiment that found one value of τ."""

    def __init__(self, mean: float) -> None:
        row = ABOUT | {"statistic": "kendall_tau", "k": "", "class": "overall", "seed": "0"}
        row |= {"measure_a": "attention", "measure_b": "gradient"}
        row |= {"mean": mean, "low": mean - 0.02, "high": mean + 0.02}
        self.tables = {"tables/agreement": pl.DataFrame([row])}


def cause(ours: float, **studies: float) -> str:
    found: dict[str, Any] = {f"sst_lstm_tanh_{name}": Finding(mean) for name, mean in studies.items()}
    row = {"experiment": "sst_lstm_tanh", "claim": "", "quantity": "kendall_tau(attention, gradient)"}
    (claim,) = {claim for rows in Causes(found)._studies.values() for claim in rows} or {""}
    row |= {"claim": claim, "published": PUBLISHED, "difference": ours - PUBLISHED}
    interval = {"low": ours - 0.02, "high": ours + 0.02, "inside": abs(ours - PUBLISHED) <= 0.02}
    return Causes(found).of(row | interval)


@pytest.mark.parametrize(
    ("ours", "studies", "expected"),
    [
        (0.30, {}, ""),
        (0.10, {}, "not known"),
        (0.10, {"glove": 0.34}, "GloVe's vectors: their interval has it"),
        (0.10, {"glove": 0.60}, "GloVe's vectors: it lies between the two"),
        (0.10, {"glove": 0.25}, "GloVe's vectors in part: nearer"),
        (0.10, {"glove": 0.12}, "not known"),
        (0.10, {"epoch_1": 0.1, "epoch_4": 0.4}, "the kept epoch: 0.100 to 0.400 by epoch"),
        (
            0.10,
            {"glove": 0.0, "epoch_1": 0.1, "epoch_4": 0.2},
            "the kept epoch in part: 0.100 to 0.200 by epoch",
        ),
    ],
)
def test_the_cause_is_what_the_studies_show(
    ours: float, studies: dict[str, float], expected: str
) -> None:
    assert cause(ours, **studies) == expected


def test_studies_are_no_part_of_the_grid() -> None:
    names = ["sst_lstm_tanh", "sst_lstm_tanh_glove", "imdb_lstm_tanh_epoch_4"]
    assert [is_study(name) for name in names] == [False, True, True]
