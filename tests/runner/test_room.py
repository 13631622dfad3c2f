"""Room for what comes: models trained on models, scores of any split, corpora made of scores."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from small_runs import EXPERIMENT, finished, run_folders, tables, write

import attex
from attex.analyses.analysis import ANALYSED
from attex.config.loading import validate
from attex.data.corpus import UNKNOWN, Corpus
from attex.foundations.errors import UserError
from attex.foundations.storage import read_tensors
from attex.runner.plan import Plan
from attex.runner.stages.masked import MaskedStage
from attex.runner.stages.training import TrainingStage
from attex.runner.workspace import Workspace

PLUGIN = '''
"""A trainer that draws attention to that of another model, and one whose model has that attention."""
from dataclasses import dataclass

from attex.models.imposed import ImposedAttention
from attex.training.loop import EpochTrainer, Objective
from attex.training.trainer import TRAINERS, InlineExperiment
from attex.training.trainers.supervised import Supervised


@TRAINERS.register("distilled")
@dataclass(frozen=True, kw_only=True)
class Distilled(EpochTrainer):
    """Draws attention to that of another model."""

    base: InlineExperiment

    def sources(self):
        return {"base": self.base}

    def check(self, corpus):
        pass

    def objective(self, model, corpus, device, sources):
        base = sources["base"]

        def apart(trace, batch):
            return (trace.attention - base(batch).attention).square().sum(dim=1)

        return Objective(apart, "loss", lowest=True)


class Under(ImposedAttention):
    """A model under another's attention."""

    def __init__(self, model, other):
        super().__init__(model)
        self._other = [other]

    def impose(self, batch):
        return self._other[0](batch).attention


@TRAINERS.register("under")
@dataclass(frozen=True, kw_only=True)
class UnderAnother(Supervised):
    """Trains a model under the attention of another."""

    base: InlineExperiment

    def sources(self):
        return {"base": self.base}

    def wrap(self, model, sources):
        return Under(model, sources["base"])
'''
BASE: dict[str, Any] = {"model": EXPERIMENT["model"], "trainer": {"epochs": 3}}


def with_trainer(name: str, **more: Any) -> dict[str, Any]:
    trainer = {"type": name, "epochs": 2, "base": BASE}
    return EXPERIMENT | {"imports": ["room_plugin"], "trainer": trainer, "analyses": ["truth"]} | more


@pytest.fixture
def plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passing_registrations: None
) -> Iterator[Path]:
    (tmp_path / "room_plugin.py").write_text(PLUGIN)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("room_plugin", None)


def test_a_training_has_other_experiments_models_as_named_inputs(plugin: Path) -> None:
    file = write(plugin, with_trainer("distilled"))
    done = finished(file, plugin / "out", "--jobs", "2")
    assert "training: walk.base, seed 0" in done.stderr
    (folder,) = run_folders(plugin / "out")
    manifest = json.loads((folder / "manifest.json").read_text())
    by_key = {stage["key"]: stage for stage in manifest["stages"]}
    for seed in (0, 1):
        training = next(s for s in by_key.values() if s["title"] == f"walk, seed {seed}")
        assert by_key[training["inputs"]["source base"]]["title"] == f"walk.base, seed {seed}"
    again = attex.run(file, output_dir=plugin / "again", device="cpu")
    assert isinstance(again, attex.Run)
    assert tables(again.path) == tables(folder)


def test_a_trainer_that_wraps_a_model_also_wraps_it_when_it_is_loaded(plugin: Path) -> None:
    run = attex.run(with_trainer("under", seeds=[0]), output_dir=plugin / "out", device="cpu")
    assert isinstance(run, attex.Run)
    same_base = EXPERIMENT | BASE | {"name": "base", "seeds": [0], "analyses": []}
    base = attex.run(same_base, output_dir=plugin / "out", device="cpu")
    assert isinstance(base, attex.Run)
    ours, theirs = run.instances, base.instances
    for name in ("tokens", "attention"):
        assert ours[name].to_list() == theirs[name].to_list(), "the attention is the other model's"
    assert ours["leave_one_out"].to_list() != theirs["leave_one_out"].to_list()
    assert type(run.model()).__name__ == "Under", "the run folder is enough for that, too"


def test_a_source_must_be_of_the_same_corpus(plugin: Path) -> None:
    other = BASE | {"data": {"type": "planted", "sizes": [20, 10, 10]}}
    experiment = with_trainer("distilled")
    experiment["trainer"] |= {"base": other}
    with pytest.raises(UserError, match=r"trainer\.base: its data must be that of the experiment"):
        attex.run(experiment, output_dir=plugin)
    experiment["trainer"] |= {"base": BASE | {"modle": 1}}
    with pytest.raises(UserError, match=r"trainer\.base: unknown key 'modle'; did you mean 'model'"):
        attex.run(experiment, output_dir=plugin)


def test_scores_of_any_split_make_a_corpus_and_that_a_training(tmp_path: Path) -> None:
    """ROAR in small: what scores highest is masked everywhere, and a model is trained on the rest."""
    workspace = Workspace.at(output=tmp_path, device="cpu")
    plan = Plan(validate(EXPERIMENT | {"importance": ["attention"]}), workspace)
    (measure,) = plan.measures
    scores = {split: plan.importance_of(measure, 0, split) for split in ("train", "dev", "test")}
    assert scores[ANALYSED].key == plan.seeds[0].importance["attention"].key
    inputs = {f"scores of {split}": stage for split, stage in scores.items()}
    masked = MaskedStage.planned("half", {"share": 0.5}, {"corpus": plan.corpus} | inputs)
    training = plan.seeds[0].training
    again = TrainingStage.planned(
        "again",
        {name: training.settings[name] for name in ("model", "trainer", "seed", "sources")},
        {"corpus": masked},
    )
    assert again.key != training.key
    folder = workspace.cache.obtain(again, workspace)
    assert read_tensors(folder / "model.safetensors")[0].keys()
    whole, half = (Corpus.load(workspace.cache.folder(stage)) for stage in (plan.corpus, masked))
    for split, flat in scores.items():
        values = read_tensors(workspace.cache.folder(flat) / "scores.safetensors")[0]["scores"]
        before, after = whole.splits[split], half.splits[split]
        gone = after.words == UNKNOWN
        for start, end in zip(before.starts[:-1].tolist(), before.starts[1:].tolist(), strict=True):
            assert int(gone[start:end].sum()) == -(-(end - start) // 2)
            kept = ~gone[start:end]
            if kept.any():
                least = values[start:end][gone[start:end]].min()
                assert least >= values[start:end][kept].max()
        assert torch.equal(after.words[~gone], before.words[~gone])


def test_an_analysis_that_lacks_something_is_left_out_with_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.csv"
    rows = [f"word{i % 7} and {'good' if i % 2 else 'bad'} things,{i % 2}" for i in range(80)]
    file.write_text("\n".join(["text,label", *rows]))
    experiment = EXPERIMENT | {"data": {"type": "csv", "path": str(file)}}
    run = attex.run(experiment, output_dir=tmp_path, device="cpu")
    assert isinstance(run, attex.Run)
    said = [line for line in capsys.readouterr().err.splitlines() if "left out" in line]
    assert len(said) == 1
    assert said[0].startswith("walk: analysis 'truth' is left out: ")
    assert "truth" not in run.tables
    assert "agreement" in run.tables
    manifest = json.loads((run.path / "manifest.json").read_text())
    assert list(manifest["left_out"]) == ["truth"]
    assert manifest["left_out"]["truth"] in run.report.read_text(encoding="utf-8")


def test_text_that_a_spreadsheet_would_run_reaches_csv_as_text_and_comes_back(tmp_path: Path) -> None:
    formula = '=HYPERLINK("http://example.org")'
    file = tmp_path / "own.jsonl"
    rows = [{"text": f"a b word{i}", "label": formula if i % 2 else "-1"} for i in range(80)]
    file.write_text("\n".join(map(json.dumps, rows)))
    experiment = EXPERIMENT | {"data": {"type": "jsonl", "path": str(file)}, "analyses": ["agreement"]}
    run = attex.run(experiment, output_dir=tmp_path, device="cpu")
    assert isinstance(run, attex.Run)
    text = (run.path / "tables" / "agreement.csv").read_text()
    assert formula.replace('"', '""') in text
    assert not any(
        cell.startswith(("=", '"=')) for line in text.splitlines() for cell in line.split(",")
    )
    assert formula in set(run.tables["agreement"]["class"])
    assert "-1" in set(run.tables["agreement"]["class"])
