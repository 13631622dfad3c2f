"""Models that another stands beside, and sources with a seed of their own: what they change in keys."""

from pathlib import Path
from typing import Any

import pytest
from small_runs import EXPERIMENT

import attex
from attex.config.loading import validate
from attex.foundations.errors import UserError
from attex.runner.plan import Plan
from attex.runner.workspace import Workspace

ASKED: dict[str, Any] = {"importance": [], "analyses": ["departure", "permutation"]}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.at(output=tmp_path, device="cpu")


def plan(workspace: Workspace, **trainer: Any) -> Plan:
    return Plan(validate(EXPERIMENT | ASKED | {"trainer": {"epochs": 2, **trainer}}), workspace)


def inputs(of: Plan, seed: int, analysis: str = "departure") -> dict[str, str]:
    needed = of.seeds[seed].findings[analysis].inputs
    return {name: stage.key for name, stage in needed.items() if name.startswith("source")}


def test_what_stands_beside_changes_what_compares_and_nothing_else(workspace: Workspace) -> None:
    alone, beside = plan(workspace), plan(workspace, beside={"trainer": {"epochs": 1}})
    for seed in (0, 1):
        one, other = alone.seeds[seed], beside.seeds[seed]
        assert one.training.key == other.training.key
        assert one.predictions.key == other.predictions.key
        assert one.findings["permutation"].key == other.findings["permutation"].key
        assert one.findings["departure"].key != other.findings["departure"].key
        shorter = plan(workspace, epochs=1).seeds[seed].training.key
        assert inputs(beside, seed) == {f"source beside {seed}": shorter}
    assert inputs(alone, 0) == {}


def test_several_seeds_stand_beside_and_never_a_model_itself(workspace: Workspace) -> None:
    beside = plan(workspace, beside={"trainer": {"epochs": 2}, "seeds": [0, 1, 5]})
    assert list(inputs(beside, 0)) == ["source beside 1", "source beside 5"]
    assert list(inputs(beside, 1)) == ["source beside 0", "source beside 5"]
    assert inputs(beside, 1)["source beside 0"] == beside.seeds[0].training.key


def test_a_source_may_have_one_seed_for_all_of_ours(workspace: Workspace) -> None:
    base = {"trainer": {"epochs": 2}}
    fixed = plan(workspace, type="adversarial", base=base | {"seeds": [1]})
    own = plan(workspace, type="adversarial", base=base)
    plain = plan(workspace)
    for seed in (0, 1):
        assert inputs(fixed, seed) == {"source base": plain.seeds[1].training.key}
        assert inputs(own, seed) == {"source base": plain.seeds[seed].training.key}
    assert fixed.seeds[1].training.key == own.seeds[1].training.key
    assert fixed.seeds[0].training.key != own.seeds[0].training.key
    with pytest.raises(UserError, match=r"trainer\.base\.seeds: expected one"):
        plan(workspace, type="adversarial", base=base | {"seeds": [0, 1]})


def test_an_experiment_says_how_far_it_is_from_what_stands_beside_it(tmp_path: Path) -> None:
    trainer = {"epochs": 2, "beside": {"trainer": {"epochs": 2}, "seeds": [0, 1]}}
    run = attex.run(EXPERIMENT | ASKED | {"trainer": trainer}, output_dir=tmp_path, device="cpu")
    rows = {row["seed"]: row for row in run.tables["departure"].to_dicts() if row["from"] == "beside"}
    # Two models are as far from each other as the other way round.
    for column in ("tvd", "jsd", "same"):
        assert rows["0"][column] == pytest.approx(rows["1"][column], abs=1e-9)
    assert rows["0"]["jsd"] > 0
