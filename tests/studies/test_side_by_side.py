"""All tests of one attention: the same numbers as in the studies alone, and what follows from each."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import attex
from attex.foundations.errors import UserError
from attex.studies.attention_tests import (
    ABSENT,
    AGAINST,
    FOR,
    NONE_AS_GOOD,
    NONE_SEEN,
    OPEN,
    YARDSTICK,
    Finding,
)
from attex.studies.joined import brought, joined_levels, runs_of
from attex.studies.kinds.roar import Roar
from attex.studies.parts.side_by_side import ABOUT
from attex.studies.run_set import CellRuns, RunSet
from attex.studies.study_file import read_study
from attex.studies.universes import cells_of

BASE: dict[str, Any] = {
    "data": {"type": "planted", "task": "keyword", "sizes": [60, 20, 20], "hide_truth": True},
    "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 4}},
    "trainer": {"epochs": 1},
}
MEMBERS: dict[str, dict[str, Any]] = {
    "frontier": {"weights": [0.1], "search": False},
    "guides": {},
    "roar": {"measures": ["attention"], "masking": ["plain"], "steps": 2},
    "deception": {"weights": [0, 1]},
}
STUDY: dict[str, Any] = {
    "study": "side_by_side",
    "base": BASE,
    "studies": [{"type": name, **options} for name, options in MEMBERS.items()],
    "seeds": [0, 1],
}
TABLES = {"frontier": "frontier", "guides": "guides", "roar": "racu", "deception": "deception"}


def run(study: dict[str, Any], output: Path) -> attex.FinishedStudy:
    found = attex.run(study, output_dir=output, device="cpu")
    assert isinstance(found, attex.FinishedStudy)
    return found


def test_every_study_has_the_numbers_that_it_has_alone(tmp_path: Path) -> None:
    whole = run(STUDY, tmp_path)
    for name, options in MEMBERS.items():
        alone = run({"study": name, "base": BASE, "seeds": [0, 1], "name": name, **options}, tmp_path)
        table = TABLES[name]
        expected, found = (each.tables[table].to_dicts() for each in (alone, whole))
        for row, other in zip(expected, found, strict=True):
            assert row.keys() == other.keys()
            for column, value in row.items():
                assert other[column] == (
                    pytest.approx(value, abs=1e-6, nan_ok=True) if isinstance(value, float) else value
                )
    _check_findings(whole)


def _check_findings(whole: attex.FinishedStudy) -> None:
    """Work every number of the page out anew, from the numbers of single models."""
    numbers = whole.runs.filter(pl.col("class") == "overall")

    def mean(level: str, quantity: str) -> float:
        asked = numbers.filter(pl.col("tested") == level, pl.col("quantity") == quantity)
        assert asked.height == 2, (level, quantity)
        return float(asked["value"].mean())  # type: ignore[arg-type]

    rows = {row["test"]: row for row in whole.tables["side_by_side"].to_dicts()}
    seeds = mean("frontier: another seed", "jsd(beside)")
    expected = {
        "agreement with gradient": mean("itself", "kendall_tau(attention, gradient) calibrated"),
        "truth": mean("itself", "auprc(attention)"),
        "erasure": mean("itself", "delta_js"),
        "permutation": mean("frontier: base", "tvd(permuted)"),
        "exact adversary": mean("frontier: base", "jsd_max(exact, 0.01)"),
        "another seed": seeds,
        "even weights trained": mean("frontier: base", "accuracy")
        - mean("frontier: uniform", "accuracy"),
        "guide": mean("guides: base's", "accuracy") - mean("guides: uniform", "accuracy"),
    }
    for test, value in expected.items():
        assert rows[test]["value"] == pytest.approx(value, abs=1e-6), test
    assert rows["exact adversary"]["beside"] == pytest.approx(seeds)
    assert rows["truth"]["beside"] == pytest.approx(mean("itself", "auprc(random)"))
    assert rows["truth"]["margin"] == pytest.approx(rows["truth"]["value"] - rows["truth"]["beside"])
    assert rows.keys() <= ABOUT.keys()
    assert {
        "plain ROAR",
        "trained to hide",
        "trained adversary",
        "trained frozen adversary",
    } <= rows.keys()
    said = {row["says"] for row in rows.values()}
    assert said <= {FOR, AGAINST, OPEN, ABSENT, YARDSTICK}
    against = {test for test, row in rows.items() if row["says"] == AGAINST}
    if against and any(row["says"] == FOR for row in rows.values()):
        assert set(whole.tables["contradictions"]["against_it"]) == against
    assert "what tests say of its attention" in whole.answer


def finding(low: float, high: float, **changes: Any) -> Finding:
    margin = (low + high) / 2, low, high
    known: dict[str, Any] = {
        "value": margin,
        "held_against": 0.0,
        "which_is": "chance",
        "margin": margin,
    }
    return Finding("truth", "AUPRC", **known | changes)


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (finding(0.1, 0.3), FOR),
        (finding(-0.3, -0.1), AGAINST),
        (finding(-0.1, 0.1), OPEN),
        (finding(0.1, 0.3, in_favour=False), AGAINST),
        (finding(-0.3, -0.1, in_favour=False), FOR),
        # At most 0.01 of the accuracy is as good as nothing.
        (finding(0.001, 0.009, enough=0.01), AGAINST),
        (finding(0.001, 0.011, enough=0.01), FOR),
        (finding(-0.02, 0.011, enough=0.01), OPEN),
        (finding(math.nan, math.nan), ABSENT),
        (finding(math.nan, math.nan, of=NONE_AS_GOOD), FOR),
        (finding(math.nan, math.nan, of=NONE_SEEN), OPEN),
        (finding(0.1, 0.3, which_is=""), YARDSTICK),
    ],
)
def test_what_a_test_says_follows_from_its_whole_interval(one: Finding, says: str) -> None:
    assert one.says == says


def test_the_models_of_a_study_are_taken_out_as_they_would_be_alone() -> None:
    study = Roar(steps=2, masking=("plain",))
    choices = brought(study)
    levels = ["itself", *joined_levels("roar", choices), "other: 1"]
    settings = [[a, b] for a in range(2) for b in range(len(levels))]
    values = {"accuracy": np.arange(2.0 * len(settings)).reshape(-1, 2)}
    nothing = values | {"of others": np.full((len(settings), 2), np.nan)}
    cell = CellRuns({"dataset": "d"}, np.array(settings), (0, 1), nothing, {})
    runs = RunSet({"mine": ("a", "b"), "tested": tuple(levels)}, (cell,))
    alone = runs_of(runs, "tested", "roar", choices)
    assert [*alone.choices] == ["mine", *(choice.name for choice in choices)]
    (found,) = alone.cells
    assert [*found.values] == ["accuracy"], "what none of its models has is no number of the study"
    count = len(levels) - 2
    assert found.levels.tolist() == [
        [mine, 0, measure, share] for mine in range(2) for measure in range(5) for share in range(3)
    ]
    kept = [row for row, (_, level) in enumerate(settings) if 0 < level <= count]
    assert (found.values["accuracy"] == values["accuracy"][kept]).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"studies": ["seeds"]}, "studies[0]: 'seeds' is none of frontier, guides, roar, deception"),
        ({"studies": ["side_by_side"]}, "'side_by_side' is none of"),
        ({"studies": ["roar"]}, "a frontier must be among them"),
        ({"studies": ["frontier", "frontier"]}, "one stands here twice"),
        ({"seeds": [0]}, "two or more are needed"),
        (
            {"choices": {"share": {"a": {"model.encoder.hidden": 2}, "b": {"model.encoder.hidden": 3}}}},
            "'share' is what a study",
        ),
        ({"base": BASE | {"trainer": "deceptive"}}, "needs a supervised base"),
    ],
)
def test_a_wrong_file_is_told_before_any_training(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        cells_of(read_study(STUDY | changes))
    assert message in str(caught.value)
