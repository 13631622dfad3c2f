"""Stages are plain records with named inputs: they travel, and their keys say what they depend on."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from small_runs import EXPERIMENT

from attex.config.loading import validate
from attex.runner.plan import Plan
from attex.runner.raw_files import RawFiles
from attex.runner.stage import Made, Stage
from attex.runner.stages import KINDS
from attex.runner.task import NotTried, Outcome, Schedule, ShortOfMemory, Task
from attex.runner.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.at(output=tmp_path, device="cpu")


def plan(workspace: Workspace, **fields: Any) -> Plan:
    return Plan(validate(EXPERIMENT | fields), workspace)


def test_a_stage_travels_as_json_and_pickled_and_keeps_its_key(workspace: Workspace) -> None:
    stages = plan(workspace).stages()
    assert {stage.kind for stage in stages} >= {
        "corpus",
        "training",
        "importance",
        "findings",
        "analysis",
    }
    for stage in stages:
        sent = Stage.from_json(json.loads(json.dumps(stage.to_json())))
        assert sent.key == stage.key
        assert type(sent) is type(stage)
        assert sent.inputs == {name: Made(s.kind, s.key) for name, s in stage.inputs.items()}
        assert pickle.loads(pickle.dumps(stage)).key == stage.key


def test_a_task_travels_with_its_workspace(workspace: Workspace) -> None:
    task = Task("walk", plan(workspace).corpus, workspace, ("json",))
    sent = Task.from_json(json.loads(json.dumps(task.to_json())))
    assert (sent.key, sent.imports, sent.experiment) == (task.key, ("json",), "walk")
    assert sent.workspace.output == workspace.output.absolute()
    assert sent.workspace.device == torch.device("cpu")


def keys(of: Plan) -> dict[str, str]:
    return {f"{stage.kind}: {stage.title}": stage.key for stage in of.stages()}


def test_what_changes_no_result_changes_no_key(workspace: Workspace) -> None:
    before = keys(plan(workspace, importance=["attention", "leave_one_out"]))
    budgeted = {"type": "leave_one_out", "budget": 1000}
    slower = {"epochs": 2, "checkpoint_seconds": 3600}
    assert keys(plan(workspace, importance=["attention", budgeted], trainer=slower)) == before


def test_settings_change_what_depends_on_them_and_nothing_else(workspace: Workspace) -> None:
    before, after = keys(plan(workspace)), keys(plan(workspace, trainer={"epochs": 3}))
    changed = {name.partition(":")[0] for name in before if before[name] != after[name]}
    after_training = {"predictions", "importance", "findings", "analysis", "figures", "explored"}
    assert changed == {"training"} | after_training


def test_kinds_have_a_file_of_their_own_name() -> None:
    for name, kind in KINDS.items():
        assert kind.__module__ == f"attex.runner.stages.{name}"


def test_a_raw_file_is_read_once_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import attex.runner.raw_files as module

    reads: list[Path] = []
    real = module.digest_file
    monkeypatch.setattr(module, "digest_file", lambda path: (reads.append(path), real(path))[1])
    file, memory = tmp_path / "raw", tmp_path / "memory"
    file.write_text("one")
    remembered = RawFiles(memory)
    first = remembered.digest(file)
    assert not memory.exists(), "a plan alone leaves no trace"
    remembered.write_down()
    assert RawFiles(memory).digest(file) == first == real(file)
    assert len(reads) == 1
    file.write_text("two, longer")
    assert RawFiles(memory).digest(file) == real(file) != first
    memory.write_text(memory.read_text().replace(first[:5], "xxxxx") + "{broken")
    assert RawFiles(memory).digest(file) == real(file)


class Piece(Stage):
    kind, version = "piece", 1

    def make(self, folder: Path, inputs: object, workspace: Workspace) -> None:
        raise NotImplementedError


def diamond(workspace: Workspace) -> dict[str, Task]:
    """Top, left and right on top, bottom on both, and one apart."""
    top = Piece.planned("top", {"n": 0})
    left, right = (Piece.planned(n, {"n": n}, {"top": top}) for n in ("left", "right"))
    bottom = Piece.planned("bottom", {"n": 3}, {"left": left, "right": right})
    apart = Piece.planned("apart", {"n": 4})
    return {s.title: Task("x", s, workspace) for s in (top, left, right, bottom, apart)}


def test_a_schedule_keeps_to_what_tasks_need(workspace: Workspace) -> None:
    tasks = diamond(workspace)
    schedule, order = Schedule([*tasks.values()]), []
    while schedule:
        task = schedule.take()
        order.append(task.stage.title)
        assert [o.key for o in schedule.done(Outcome(task.key))] == [task.key]
    assert order == ["top", "left", "right", "bottom", "apart"]


def test_a_failed_task_stops_what_needs_it_and_nothing_else(workspace: Workspace) -> None:
    tasks = diamond(workspace)
    schedule = Schedule([*tasks.values()])
    outcomes: dict[str, BaseException | None] = {}
    while schedule:
        task = schedule.take()
        trouble = ValueError("broken") if task.stage.title == "left" else None
        for outcome in schedule.done(Outcome(task.key, trouble)):
            assert outcome.key not in outcomes
            outcomes[outcome.key] = outcome.trouble
    assert set(outcomes) == {task.key for task in tasks.values()}
    troubles = {title: outcomes[task.key] for title, task in tasks.items()}
    assert troubles["right"] is troubles["apart"] is troubles["top"] is None
    assert isinstance(troubles["bottom"], NotTried)
    assert "broken" in str(troubles["bottom"])


@pytest.mark.parametrize("kind", [ShortOfMemory, ValueError])
def test_what_failed_first_is_told_once_however_long_the_chain(
    kind: type[Exception], workspace: Workspace
) -> None:
    tasks = diamond(workspace)
    schedule = Schedule([*tasks.values()])
    outcomes = [*schedule.done(Outcome(schedule.take().key, kind("there was no room")))]
    assert len(outcomes) == 4, "all but the one apart"
    for outcome in outcomes[1:]:
        assert str(outcome.trouble) == "not tried: there was no room"
        # What was short of memory can be tried again with all that needs it.
        assert isinstance(outcome.trouble, ShortOfMemory) == (kind is ShortOfMemory)


def test_what_follows_from_what_is_near_comes_first(workspace: Workspace) -> None:
    tasks = diamond(workspace)
    schedule = Schedule([*tasks.values()])
    top = schedule.take()
    list(schedule.done(Outcome(top.key)))
    assert schedule.take(near={"something else"}).stage.title == "left"
    list(schedule.done(Outcome(tasks["left"].key)))
    assert schedule.take(near={top.key}).stage.title == "right"
