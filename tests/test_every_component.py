"""Every registered component in a tiny experiment of its own, from the configuration to the report."""

import functools
import tempfile
from pathlib import Path
from typing import Any

import pytest
from toys import FEW, needs_layers

import attex
from attex.agreement.statistic import STATISTICS
from attex.analyses.analysis import ANALYSES
from attex.config.registries import REGISTRIES
from attex.data.folder import DataFolder
from attex.data.reader import READERS, Reader
from attex.foundations.errors import MissingData
from attex.foundations.registry import Registry
from attex.importance.measure import MEASURES
from attex.models.decoder import DECODERS
from attex.training.trainer import TRAINERS

NOWHERE = DataFolder(Path("nowhere"))
SMALL = {"sizes": [40, 20, 20], "hidden": 8, "epochs": 1} | FEW
"""What keeps a component small, where it has such an option."""
REQUIRED = {"k": 3, "base": {}, "guide": {}}
"""Something for options that have no default; {} is an experiment like the one around it."""
TINY: dict[str, Any] = {
    "data": {"type": "planted", "sizes": SMALL["sizes"]},
    "model": {
        "embedding_width": 4,
        "encoder": {"type": "average", "hidden": SMALL["hidden"]},
        "attention": {"type": "tanh", "projection": "softmax"},
        "decoder": "linear",
    },
    "trainer": {"type": "supervised", "epochs": SMALL["epochs"]},
    "importance": ["attention", "gradient"],
    "analyses": [],
}
MEASURED = ["attention", "gradient_norm", "gradient_norm[hidden]"]
"""One of each kind that an analysis may ask for."""


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all, and so one cache: most of these experiments share a model."""
    return tmp_path_factory.mktemp("components")


@functools.cache
def small_bert() -> Path:
    """Write a pretrained classifier for the classes of the planted data."""
    pytest.importorskip("transformers", reason="needs pip install 'attex[hf]'")
    from pretrained_folders import write_folder

    return write_folder(Path(tempfile.mkdtemp()), labels=("negative", "positive"), positions=128)


def chosen(registry: Registry[Any], name: str) -> dict[str, Any]:
    """Choose a component, as small as it can be."""
    choice: dict[str, Any] = {"type": name}
    for option, field in registry[name].options.model_fields.items():
        if option in SMALL:
            choice[option] = SMALL[option]
        elif option == "path" and registry.kind != "dataset":
            choice[option] = str(small_bert())
        elif field.is_required() and option != "type":
            assert option in REQUIRED, f"{registry.kind} '{name}' must have '{option}': name one here"
            choice[option] = REQUIRED[option]
    return choice


def reported(output: Path, **changed: Any) -> attex.Run:
    run = attex.run(TINY | changed, output_dir=output, device="cpu")
    assert isinstance(run, attex.Run)
    page = run.report.read_text(encoding="utf-8")
    assert "In short" in page
    assert page.rstrip().endswith("</html>")
    return run


def names(kind: str) -> list[str]:
    return [entry.name for entry in REGISTRIES[kind]]


def needs_no_files(name: str) -> bool:
    if any(field.is_required() for field in READERS[name].options.model_fields.values()):
        return False
    reader: Reader = READERS.bind(READERS.spec(name))
    try:
        return not reader.files(NOWHERE)
    except MissingData:
        return False


@pytest.mark.parametrize("name", [name for name in names("dataset") if needs_no_files(name)])
def test_dataset(name: str, output: Path) -> None:
    run = reported(output, data=chosen(READERS, name))
    assert run.metrics["data"]["kept"] == {"train": 40, "dev": 20, "test": 20}


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind in ("encoder", "attention", "decoder") for name in names(kind)],
)
def test_part_of_a_model(kind: str, name: str, output: Path) -> None:
    changed = {"model": TINY["model"] | {kind: chosen(REGISTRIES[kind], name)}}
    if kind == "decoder" and DECODERS[name].target.takes_query:
        changed["model"]["query"] = {}
        changed["data"] = TINY["data"] | {"task": "question"}
    run = reported(output, **changed)
    assert run.config["model"][kind]["type"] == name


@pytest.mark.parametrize("name", names("projection"))
def test_projection(name: str, output: Path) -> None:
    attention = {"type": "tanh", "projection": chosen(REGISTRIES["projection"], name)}
    run = reported(output, model=TINY["model"] | {"attention": attention})
    weights = run.instances["attention"].explode()
    assert weights.is_between(0, 1 + 1e-6).all()


def test_uniform_attention_agrees_with_nothing_and_is_reported(output: Path) -> None:
    attention = {"type": "tanh", "projection": "uniform"}
    analyses = [{"type": "agreement", "draws": 9, "controls": "never"}]
    run = reported(output, model=TINY["model"] | {"attention": attention}, analyses=analyses)
    assert (run.tables["agreement"]["undefined"] == run.tables["agreement"]["n"]).all()


def test_no_kind_is_left_out() -> None:
    here = {"dataset", "model", "encoder", "attention", "decoder", "projection", "trainer"}
    assert set(REGISTRIES) == here | {"measure", "statistic", "analysis"}


@pytest.mark.parametrize("name", names("model"))
def test_model(name: str, output: Path) -> None:
    run = reported(output, model=chosen(REGISTRIES["model"], name))
    assert run.config["model"]["type"] == name


@pytest.mark.parametrize("name", names("trainer"))
def test_trainer(name: str, output: Path) -> None:
    data = TINY["data"] | {"hide_truth": True}
    trainer = chosen(REGISTRIES["trainer"], name)
    trains = TRAINERS[name].target.trains
    model = TINY["model"] if trains else chosen(REGISTRIES["model"], "pretrained_classifier")
    run = reported(output, trainer=trainer, data=data, model=model)
    assert len(run.metrics["seeds"]["0"]["training"]["epochs"]) == 1


@pytest.mark.parametrize("name", names("measure"))
def test_measure(name: str, output: Path) -> None:
    measure = chosen(MEASURES, name)
    encoder = "transformer" if needs_layers(name) else "average"
    model = TINY["model"] | {"encoder": {"type": encoder, "hidden": SMALL["hidden"]}}
    run = reported(output, importance=[measure], model=model)
    scores = run.instances[MEASURES.spec(measure).title]
    assert scores.list.len().to_list() == run.instances["tokens"].list.len().to_list()


@pytest.mark.parametrize("name", names("statistic"))
def test_statistic(name: str, output: Path) -> None:
    statistic = chosen(STATISTICS, name)
    run = reported(output, analyses=[{"type": "agreement", "statistics": [statistic], "draws": 9}])
    assert set(run.tables["agreement"]["statistic"]) == {STATISTICS.spec(statistic).title}


@pytest.mark.parametrize("name", names("analysis"))
def test_analysis(name: str, output: Path) -> None:
    data = TINY["data"] | {"hide_truth": True}
    # What is about layers of self-attention needs some.
    encoder = {"type": "transformer"} if name == "stacked_attention" else {}
    model = TINY["model"] | {"encoder": TINY["model"]["encoder"] | encoder}
    analyses = [chosen(ANALYSES, name)]
    run = reported(output, importance=MEASURED, analyses=analyses, data=data, model=model)
    analysis = ANALYSES.bind(ANALYSES.spec(chosen(ANALYSES, name)))
    assert f"<h2>{analysis.title}</h2>" in run.report.read_text(encoding="utf-8")
    assert any(table == name or table.startswith(f"{name}_") for table in run.tables)
