"""Studies that are run: their numbers are those of ordinary runs, and nothing is made twice."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tiny import BASE, study

import attex
from attex.foundations.errors import UserError
from attex.runner import upkeep
from attex.runner.engine import choose_engine
from attex.runner.stages.training import TrainingStage
from attex.runner.workspace import Workspace
from attex.studies.models import Models
from attex.studies.run_studies import run_studies
from attex.studies.running import Planned, run_planned, run_study
from attex.studies.study_file import read_study
from attex.studies.universes import cells_of


def run(output: Path, **changes: Any) -> Path:
    workspace = Workspace.at(output=output, device="cpu")
    path, failed = run_study(
        read_study(study(**changes)), workspace, choose_engine(None, 1, {}, workspace)
    )
    assert path is not None
    assert failed == 0
    return path


def run_parts(output: Path, made_elsewhere: list[Path], until: str = "findings") -> bool:
    workspace = Workspace.at(output=output, device="cpu")
    return run_studies(
        [read_study(study())],
        workspace,
        choose_engine(None, 1, {}, workspace),
        until,
        made_elsewhere=made_elsewhere,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("study"))


def numbers(path: Path) -> pl.DataFrame:
    return pl.read_csv(path / "tables" / "numbers.csv", infer_schema_length=None)


def made(path: Path) -> dict[str, int]:
    """Return when each model of the output folder was made."""
    cache = path.parents[1] / ".cache" / "2" / "numbers"
    return {folder.name: (folder / "stage.json").stat().st_mtime_ns for folder in cache.iterdir()}


@pytest.mark.parametrize("guides_are_first", [False, True])
def test_a_model_that_others_are_trained_against_is_trained_once(
    guides_are_first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own numbers wait for the training that the others need, also those of another study."""
    trained: list[str] = []
    make = TrainingStage.make

    def counted(stage: TrainingStage, *rest: Any) -> None:
        trained.append(stage.key)
        make(stage, *rest)

    monkeypatch.setattr(TrainingStage, "make", counted)
    base = BASE | {"importance": [], "analyses": []}
    guides = {"study": "guides", "base": base, "seeds": [0]}
    seeds = {"study": "seeds", "base": base, "seeds": [0, 1]}
    files = [guides, seeds] if guides_are_first else [seeds, guides]
    workspace = Workspace.at(output=tmp_path, device="cpu")
    engine = choose_engine(None, 1, {}, workspace)
    assert run_studies([read_study(file) for file in files], workspace, engine, "findings")
    # The base of two seeds, even and own weights, three guides (an adversary, two halves), four guided.
    assert len(trained) == len(set(trained)) == 2 + 2 + 3 + 4


def test_the_numbers_are_those_of_an_ordinary_run(finished: Path, tmp_path: Path) -> None:
    one = BASE | {"trainer": {"epochs": 1, "learning_rate": 0.1}, "seeds": [1]}
    ordinary = attex.run(one, output_dir=tmp_path, device="cpu")
    of_model = {"trainer.learning_rate": 0.1, "model.encoder.hidden": 2, "seed": 1, "class": "overall"}
    rows = numbers(finished).filter([pl.col(key) == value for key, value in of_model.items()])
    found = dict(zip(rows["quantity"], rows["value"], strict=True))
    assert found["accuracy"] == ordinary.tables["performance"]["accuracy"][0]
    table = ordinary.tables["agreement"].filter(pl.col("class") == "overall")
    for row in table.to_dicts():
        pair = f"kendall_tau({row['measure_a']}, {row['measure_b']})"
        assert found[pair] == pytest.approx(row["mean"], abs=1e-12, nan_ok=True)
        if f"{pair} calibrated" in found:
            assert found[f"{pair} calibrated"] == pytest.approx(row["calibrated"], nan_ok=True)
    history = ordinary.metrics["seeds"]["1"]["training"]
    assert found["development_accuracy"] == history["epochs"][0]["accuracy"]


def test_the_folder_is_like_that_of_a_run(finished: Path) -> None:
    assert {path.name for path in finished.iterdir()} == {
        "config.json",
        "manifest.json",
        "answer.json",
        "headlines.csv",
        "tables",
        "graphs",
        "report.html",
    }
    manifest = json.loads((finished / "manifest.json").read_text())
    assert len(manifest["models"]) == 8
    assert manifest["failed"] == 0


def test_a_model_leaves_its_numbers_and_no_weights(finished: Path) -> None:
    cache = finished.parents[1] / ".cache" / "2"
    assert {kind.name for kind in cache.iterdir() if kind.is_dir()} == {"corpus", "numbers"}
    for folder in (cache / "numbers").iterdir():
        assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < 30_000


def test_a_study_that_is_run_again_or_extended_makes_only_what_is_new(finished: Path) -> None:
    before = made(finished)
    output = finished.parents[1]
    again = run(output)
    assert made(finished) == before
    assert numbers(again).equals(numbers(finished))
    run(output, seeds=[0, 1, 2], choices={"trainer.learning_rate": [0.001, 0.1, 0.01]})
    after = made(finished)
    assert before.items() <= after.items()
    # Three rates × three seeds at the first width, of which two rates × two seeds were there.
    assert len(after) == len(before) + 5


def test_models_that_another_machine_has_are_not_made(finished: Path, tmp_path: Path) -> None:
    # Of eight models the other machine lists three, one of them twice.
    keys = [one["key"] for one in json.loads((finished / "manifest.json").read_text())["models"]]
    listed, manifest = tmp_path / "made.csv", tmp_path / "manifest.json"
    listed.write_text("seed,key\n" + "".join(f"0,{key}\n" for key in keys[:2]), encoding="utf-8")
    manifest.write_text(json.dumps({"models": [{"key": key} for key in keys[1:3]]}), encoding="utf-8")
    assert run_parts(tmp_path, [listed, manifest])
    assert {folder.name for folder in (tmp_path / ".cache/2/numbers").iterdir()} == {*keys[3:]}


def test_studies_that_are_run_together_are_those_that_are_run_alone(
    finished: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    # The second shares four of its six models with the first; what is wrong with the third ends nothing.
    second = study(name="second", seeds=[0, 1, 2], choices={"trainer.learning_rate": [0.001, 0.1]})
    absent = study(name="absent", base=BASE | {"data": "sst"})
    workspace = Workspace.at(tmp_path / "nothing", tmp_path / "out", "cpu")
    files = [read_study(fields) for fields in (study(name="first"), absent, second)]
    assert not run_studies(files, workspace, choose_engine(None, 2, {}, workspace))
    said = capfd.readouterr()
    assert "first: 8 models: 0 are there, 8 to make" in said.err
    assert "second: 6 models: 0 are there, 6 to make" in said.err
    assert "absent" in said.err
    assert said.out.count("report.html") == 2
    (first,) = (tmp_path / "out" / "first").iterdir()
    assert numbers(first).equals(numbers(finished))
    assert len(made(first)) == 10


def test_trouble_with_a_model_is_told_of_the_study_that_it_is_of(tmp_path: Path) -> None:
    workspace = Workspace.at(output=tmp_path, device="cpu")
    broken = study(name="broken", choices={"trainer.learning_rate": [0.001, 1e30]}, seeds=[0])
    files = [read_study(fields) for fields in (broken, study(name="whole"))]
    studies = [Planned.of(file, workspace) for file in files]
    engine = choose_engine(None, 1, {}, workspace)
    found = {
        one.file.name: failed for one, _, failed in run_planned(studies, workspace, engine, "findings")
    }
    assert found == {"broken": 1, "whole": 0}


def test_a_list_of_models_that_is_none_is_said_before_any_training(tmp_path: Path) -> None:
    (tmp_path / "no_key.csv").write_text("seed\n0\n")
    (tmp_path / "no_models.json").write_text("[1]")
    wrong = {
        "absent.csv": "No such file",
        "no_key.csv": "expected a csv with a column 'key'",
        "no_models.json": "the manifest.json of a study, or models packed as .xz",
    }
    for name, words in wrong.items():
        with pytest.raises(UserError, match=words):
            run_parts(tmp_path, [tmp_path / name])
    with pytest.raises(UserError, match="add --until findings"):
        run_parts(tmp_path, [tmp_path / "no_key.csv"], until="report")
    assert not (tmp_path / ".cache").exists()


def test_what_an_ordinary_run_has_made_is_not_made_again(tmp_path: Path) -> None:
    ordinary = BASE | {"name": "ordinary", "trainer": {"epochs": 1, "learning_rate": 0.1}}
    attex.run(ordinary, output_dir=tmp_path, device="cpu")
    workspace = Workspace.at(output=tmp_path, device="cpu")
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / ".cache").rglob("model.safetensors")}
    path = run(tmp_path, choices={"trainer.learning_rate": [0.1, 0.2]}, seeds=[0])
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / ".cache").rglob("model.safetensors")} == before
    assert set(numbers(path)["trainer.learning_rate"]) == {0.1, 0.2}
    assert workspace.output == tmp_path


def test_run_folders_are_kept_where_asked_for(tmp_path: Path) -> None:
    run(tmp_path, choices={"trainer.epochs": [1, 2]}, seeds=[0], keep="runs", name="kept")
    reports = [*tmp_path.glob("kept.*/*/report.html")]
    assert len(reports) == 2
    # The numbers came after the models, of which none was trained twice.
    trained = [p.stat().st_mtime_ns for p in (tmp_path / ".cache").rglob("training/*/stage.json")]
    counted = [p.stat().st_mtime_ns for p in (tmp_path / ".cache").rglob("numbers/*/stage.json")]
    assert len(trained) == len(counted) == 2
    assert max(trained) < min(counted)


def test_the_models_of_a_study_are_no_rubbish(finished: Path) -> None:
    workspace = Workspace.at(output=finished.parents[1], device="cpu")
    unused = {stage.path.name for stage in upkeep.holdings(workspace).unused}
    assert not unused & {*made(finished)}


def test_a_multiverse_without_an_agreement_is_laid_out_all_the_same(tmp_path: Path) -> None:
    changes = {"study": "multiverse", "base": BASE | {"analyses": ["truth"]}}
    path = run(tmp_path, **changes, choices={"trainer.epochs": [1, 2]}, seeds=[0, 1])
    assert "accuracy" in json.loads((path / "answer.json").read_text())["lead"][0]


def test_a_sweep_may_have_cells_and_no_choices(tmp_path: Path) -> None:
    attentions = {name: {"model.attention.type": name} for name in ("tanh", "sdp")}
    path = run(tmp_path, study="sweep", choices={}, cells={"attention": attentions})
    models = numbers(path).select("attention", "seed").unique()
    assert set(models.rows()) == {(name, seed) for name in attentions for seed in (0, 1)}


def test_data_that_is_absent_is_said_before_any_training(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "nothing", tmp_path / "out", "cpu")
    file = read_study(study(base=BASE | {"data": "sst"}))
    with pytest.raises(UserError, match="sst"):
        Models(cells_of(file), file.seeds, workspace)


def test_python_runs_a_study_from_a_file_or_a_mapping(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    output = finished.parents[1]
    (tmp_path / "study.json").write_text(json.dumps(study()), encoding="utf-8")
    for given in ("study.json", study()):
        found = attex.run(given, output_dir=output, device="cpu")
        assert isinstance(found, attex.FinishedStudy)
        assert found.path.parent.parent == output
        assert found.runs.equals(attex.FinishedStudy(finished).runs)
        assert sorted(found.tables) == ["numbers", "settings", "spread"]
        accuracies = found.runs.filter(pl.col("quantity") == "accuracy").group_by(
            "trainer.learning_rate", "model.encoder.hidden"
        )
        means = accuracies.agg(pl.col("value").mean())["value"]
        assert found.answer.startswith(f"Accuracy is {means.min():.3f} to {means.max():.3f}")
        assert found.summary["value"].to_list() == pytest.approx([means.max()])
        assert found.report.is_file()
        assert str(found.path) in repr(found)
    changed = attex.run(study(), overrides=["trainer.epochs=2"], output_dir=output, device="cpu")
    assert changed.config["base"]["trainer"] == {"epochs": 2}
    with pytest.raises(UserError, match="recompute is for experiments"):
        attex.run(study(), recompute=["numbers"], output_dir=output)
    with pytest.raises(UserError, match=r"is not the folder of a study: it has no manifest\.json"):
        attex.FinishedStudy(tmp_path)
