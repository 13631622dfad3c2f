"""Experiment files of published systems: translated, refused, and never silently cut."""

import contextlib
import itertools
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp_files import changed, of_2020, of_court, places, write_as_theirs

from attex.config.loading import load_experiments, validate
from attex.config.plain import dotted
from attex.config.published import translated
from attex.config.schema import ExperimentConfig
from attex.data.folder import DataFolder
from attex.foundations.errors import UserError
from attex.runner.plan import Plan
from attex.runner.workspace import Workspace

OWN = Path(__file__).parents[2] / "experiments" / "neely_schouten_2020" / "published.jsonnet"
EIGHT = list(itertools.product(("sst", "imdb"), ("tanh", "sdp"), ("softmax", "sparsemax")))
FILES = {
    "2020": of_2020("sst", "tanh", "softmax"),
    "court": of_court(),
    "imdb": of_court("imdb", "uniform"),
}


def outcome(file: dict[str, Any]) -> tuple[Any, list[str]]:
    """Translate; return the experiment, or None, and every line that is said."""
    try:
        return translated(file, "f")
    except UserError as error:
        return None, [line.removeprefix("f: ") for line in str(error).splitlines()]


def experiment(file: dict[str, Any], **changes: Any) -> ExperimentConfig:
    for path, value in changes.items():
        file = changed(file, tuple(path.split("__")), value)
    return validate(file, origin="f")


def refusal(file: dict[str, Any], **changes: Any) -> list[str]:
    with pytest.raises(UserError) as caught:
        experiment(file, **changes)
    return str(caught.value).splitlines()


def own(name: str) -> ExperimentConfig:
    return next(config for config in load_experiments(OWN) if config.name == f"{name}_published")


@pytest.mark.parametrize(("data", "attention", "activation"), EIGHT)
def test_each_of_the_eight_is_our_own_file_of_the_same_settings(
    data: str, attention: str, activation: str, tmp_path: Path
) -> None:
    name = f"{data}_{attention}_{activation}"
    path = write_as_theirs(tmp_path / f"{name}.jsonnet", of_2020(data, attention, activation))
    (theirs,) = load_experiments(path)
    assert theirs.name == name
    assert theirs.resolved() | {"name": ""} == own(name).resolved() | {"name": ""}


@pytest.mark.parametrize("data", ["sst", "imdb"])
def test_every_stage_has_the_key_that_our_own_file_gives_it(
    data: str, real_data: DataFolder, tmp_path: Path
) -> None:
    workspace = Workspace(real_data, tmp_path, torch.device("cpu"))
    plans = [
        Plan(validate(config.resolved(), ["name=same"]), workspace)
        for config in (experiment(of_2020(data, "tanh", "softmax")), own(f"{data}_tanh_softmax"))
    ]
    theirs, ours = ([stage.key for stage in plan.stages()] for plan in plans)
    assert theirs == ours
    assert len(theirs) > 10


@pytest.mark.parametrize("name", FILES)
def test_an_unknown_key_is_named_wherever_it_stands(name: str) -> None:
    file = FILES[name]
    for path, node in places(file):
        if isinstance(node, dict):
            where = (*path, "unheard_of")
            _, lines = outcome(changed(file, where, {"deep": 1}))
            # A measure that is left out as a whole is named with all that is in it.
            named = [dotted(where[:n]) for n in range(len(where), 0, -1)]
            assert any(line.startswith(f"{n} = ") for n in named for line in lines), dotted(where)


@pytest.mark.parametrize("name", FILES)
def test_no_value_can_be_changed_without_a_word_or_a_consequence(name: str) -> None:
    file = FILES[name]
    before = outcome(file)
    for path, node in places(file):
        if not isinstance(node, dict | list):
            assert outcome(changed(file, path, 98_765)) != before, dotted(path)


@pytest.mark.parametrize("name", ["2020", "court"])
@pytest.mark.parametrize("odd", [None, 7, "odd", [], [[1], "x"], {}, {"type": {"a": 1}}, True])
def test_a_value_of_any_kind_ends_in_an_experiment_or_in_lines(name: str, odd: Any) -> None:
    for path, _ in places(FILES[name]):
        if path:
            with contextlib.suppress(UserError):
                validate(changed(FILES[name], path, odd), origin="f")


def test_a_later_file_says_what_is_compared() -> None:
    config = experiment(of_court())
    assert [measure.title for measure in config.importance] == [
        "attention",
        "leave_one_out",
        "deep_lift(slopes=own)",
    ]
    (agreement,) = config.resolved()["analyses"]
    buckets = [s["k"] for s in agreement["statistics"] if s["type"] == "top_k_buckets"]
    assert buckets == [{"fraction": 0.25}, {"fraction": 1.0}, 5, 10, "non_zero"]
    assert {s["type"] for s in agreement["statistics"]} == {
        "kendall_tau",
        "top_k_buckets",
        "weighted_tau",
    }
    assert not agreement["drop_ends"]
    assert config.seeds == (87, 2134, 5555)
    learned = {"type": "learned_entmax", "start": 1.5, "learning_rate": 0.005}
    assert config.resolved()["model"]["attention"] == {"type": "tanh", "projection": learned}
    # Without a group of its own α learns as everything does.
    alike = changed(of_court(), ("trainer", "optimizer"), {"type": "adam", "lr": 0.25})
    assert experiment(alike).resolved()["model"]["attention"]["projection"]["learning_rate"] == 0.25


def test_captums_measures_are_named_by_their_method() -> None:
    where = ("attention_experiment", "feature_importance_measures")
    names = ("integrated-gradients", "deeplift", "gradientshap", "deepliftshap")
    file = changed(of_court(), where, [{"type": "captum", "captum": f"captum-{n}"} for n in names])
    assert [measure.title for measure in experiment(file).importance] == [
        "attention",
        "integrated_gradients",
        "deep_lift(slopes=own)",
        "gradient_shap(samples=5)",
        "deep_lift_shap(background=padding, slopes=own)",
    ]


def test_what_attex_lacks_is_left_out_by_name_and_something_is_compared_still() -> None:
    where = ("attention_experiment", "feature_importance_measures")
    file = changed(of_court(), where, ["newer", {"type": "captum", "captum": "captum-newer"}])
    fields, lines = outcome(file)
    assert [measure["type"] for measure in fields["importance"]] == [
        "attention",
        "gradient",
        "leave_one_out",
    ]
    assert f'{dotted(where)}[0] = "newer": attex has no such measure; left out' in lines
    assert any("captum-newer" in line and "left out" in line for line in lines)
    assert any(line.startswith(f"{dotted(where)}: none is left") for line in lines)


@pytest.mark.parametrize(
    "correlation", ["kendall_top_k_fixed", {"type": "weighted_kendall_tau"}, {"type": "new"}, None]
)
def test_a_correlation_that_gives_nothing_is_named(correlation: Any) -> None:
    where = ("attention_experiment", "correlation_measures")
    fields, lines = outcome(changed(of_court(), where, [correlation]))
    (agreement,) = fields["analyses"]
    assert agreement["statistics"] == [{"type": "kendall_tau"}]
    assert f"{dotted(where)}: none is left: kendall_tau is taken" in lines
    assert correlation is None or any(line.startswith(f"{dotted(where)}[0] = ") for line in lines)


def test_softmax_forgets_the_padding_in_files_of_2020_only() -> None:
    old, new = of_2020("sst", "sdp", "softmax"), of_court("sst", "softmax")
    projections = [experiment(file).model.attention.projection.type for file in (old, new)]
    assert projections == ["softmax_over_padding", "softmax"]


def test_a_name_stands_for_an_object_with_that_type() -> None:
    file = of_2020("sst", "tanh", "sparsemax")
    written_out = experiment(file, model__attention__activation_function={"type": "sparsemax"})
    assert written_out == experiment(file)
    assert experiment(file, trainer__optimizer="adam").trainer.weight_decay == 0
    assert len(refusal(file, dataset_reader="snli")) == 1


@pytest.mark.parametrize(
    ("path", "value", "becomes"),
    [
        ("trainer__num_epochs", 3, ("trainer", "epochs", 3)),
        ("trainer__patience", None, ("trainer", "patience", None)),
        ("trainer__validation_metric", "+accuracy", ("trainer", "metric", "accuracy")),
        ("trainer__optimizer", {"type": "adamw"}, ("trainer", "weight_decay", 0.01)),
        ("trainer__optimizer", {"lr": 0.5}, ("trainer", "learning_rate", 0.5)),
        ("iterator", {"type": "basic"}, ("trainer", "batch_size", 32)),
        ("data_loader", {"batch_size": 7}, ("trainer", "batch_size", 7)),
        ("dataset_reader__max_instances", 11, ("data", "limit", 11)),
        ("vocabulary", {"min_count": {"tokens": 4}}, ("data", "min_frequency", 4)),
    ],
)
def test_keys_become_options(path: str, value: Any, becomes: tuple[str, str, Any]) -> None:
    section, name, expected = becomes
    changed_one = experiment(of_2020("sst", "tanh", "softmax"), **{path: value})
    assert changed_one.resolved()[section][name] == expected


def test_seeds_are_those_of_the_file_or_of_our_own_files() -> None:
    file = of_2020("sst", "tanh", "softmax")
    assert experiment(file).seeds == own("sst_tanh_softmax").seeds
    seeded = file | {"random_seed": 5, "numpy_seed": 6, "pytorch_seed": 7}
    assert experiment(seeded).seeds == (7,)
    assert [line for line in outcome(seeded)[1] if "_seed = " in line] == [
        "random_seed = 5: attex has one seed for everything, 7",
        "numpy_seed = 6: attex has one seed for everything, 7",
    ]


def test_what_cannot_be_done_is_refused_all_at_once() -> None:
    file = of_2020("sst", "tanh", "softmax")
    lines = refusal(
        file,
        dataset_reader={"type": "quora_paraphrase"},
        model__encoder__num_layers=2,
        model__encoder__bidirectional=False,
        model__attention__type="additive_query",
        model__attention__activation_function="gumbel",
        model__decoder__hidden_dims=[3],
        trainer__optimizer="sgd",
    )
    named = {line.removeprefix("f: ").split(" = ")[0] for line in lines}
    assert named == {
        "dataset_reader.type",
        "model.encoder.num_layers",
        "model.encoder.bidirectional",
        "model.attention.type",
        "model.attention.activation_function",
        "model.decoder.hidden_dims",
        "trainer.optimizer",
    }


@pytest.mark.parametrize(
    ("path", "kind", "lacking"),
    [
        ("there/snli", "snli", "two texts"),
        ("there/multinli_1.0_train", "snli", "no reader for MNLI"),
        ("there", "quora_paraphrase", "no reader for Quora"),
    ],
)
def test_datasets_of_two_texts_are_refused_by_their_names(path: str, kind: str, lacking: str) -> None:
    file = of_2020("sst", "tanh", "softmax") | {"train_data_path": path}
    (line,) = refusal(file, dataset_reader={"type": kind, "combine_input_fields": True})
    assert lacking in line


def test_a_pretrained_model_is_refused_without_a_word_on_its_parts() -> None:
    file = of_2020("imdb", "tanh", "softmax")
    model = {
        "type": "distilbert_sequence_classification_from_huggingface",
        "attention": "multihead_self",
    }
    lines = refusal(file, model=model, dataset_reader__pretrained_tokenizer="distilbert-base-uncased")
    assert [line.split(" = ")[0] for line in lines] == [
        "f: dataset_reader.pretrained_tokenizer",
        "f: model.type",
    ]


def test_five_classes_are_refused_also_where_they_are_the_default() -> None:
    file = of_2020("sst", "tanh", "softmax")
    assert "5-class" in refusal(file, dataset_reader={"type": "sst_tokens"})[0]
    assert "3-class" in refusal(file, dataset_reader__granularity="3-class")[0]


@pytest.mark.parametrize(
    "file", [{"train_data_path": "t"}, {"dataset_reader": 5, "model": [], "trainer": 1}]
)
def test_a_file_without_reader_and_model_is_refused(file: dict[str, Any]) -> None:
    named = [line.split(" = ")[0] for line in refusal(file)]
    assert named == ["f: dataset_reader.type", "f: model.type", "f: model.encoder.type"]


def test_what_is_taken_for_keys_that_are_not_there_is_said() -> None:
    file = of_2020("sst", "tanh", "softmax")
    (line,) = refusal(file, model={"type": file["model"]["type"]})
    assert line.startswith("f: model.encoder.type = null: ")
    model = {"type": file["model"]["type"], "encoder": {"type": "gru", "bidirectional": True}}
    fields, lines = outcome(file | {"model": model, "trainer": {}})
    said = [line.split(" is not given: ")[0] for line in lines if " is not given: " in line]
    assert said == [
        "trainer.validation_metric",
        "random_seed",
        "model.encoder.hidden_size",
        "embedding_dim",
        "model.attention.type",
        "model.attention.activation_function",
        "attention_experiment",
    ]
    config = validate(fields)
    # AllenNLP's own: 20 epochs of Adam as PyTorch has it.
    assert (config.trainer.epochs, config.trainer.amsgrad, config.trainer.weight_decay) == (20, False, 0)


def test_widths_that_do_not_fit_are_refused() -> None:
    lines = refusal(of_2020("sst", "tanh", "softmax"), model__encoder__hidden_size=64)
    assert lines == [
        "f: model.attention.hidden_size = 256: the encoder before it is 128 wide",
        "f: model.decoder.input_dim = 256: the encoder before it is 128 wide",
    ]


def test_overrides_are_of_the_translation() -> None:
    file = of_2020("sst", "tanh", "softmax")
    config = validate(file, ["trainer.epochs=1", "seeds=[4]", "data.limit=9"], "f")
    assert (config.trainer.epochs, config.seeds, config.data.limit) == (1, (4,), 9)


def test_the_files_as_they_were_published() -> None:
    folder = os.environ.get("ATTEX_PUBLISHED")
    if not folder:
        pytest.skip("needs the published files: set ATTEX_PUBLISHED to a folder of them")
    files = sorted(Path(folder).rglob("*.jsonnet"))
    assert files
    for path in files:
        single_text = path.stem.startswith(("sst", "imdb")) and "distilbert" not in path.stem
        if single_text:
            assert load_experiments(path)[0].data.type == path.stem.partition("_")[0]
        else:
            with pytest.raises(UserError, match=r"dataset_reader|model\.type"):
                load_experiments(path)
