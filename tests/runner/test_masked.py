"""Experiments on texts whose important tokens are masked: which, by whose scores, and what is shared."""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import attex
from attex.config.loading import validate
from attex.data.corpus import UNKNOWN, Corpus
from attex.foundations.errors import UserError
from attex.foundations.storage import read_tensors
from attex.runner.plan import Plan
from attex.runner.stage import Stage
from attex.runner.workspace import Workspace

BASE: dict[str, Any] = {
    "name": "roar",
    "data": {"type": "planted", "task": "keyword", "sizes": [60, 20, 30]},
    "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 4}},
    "trainer": {"epochs": 1},
    "importance": [],
    "analyses": [],
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace.at(output=tmp_path_factory.mktemp("masked"), device="cpu")


def plan(workspace: Workspace, masked: Mapping[str, Any] | None, **changes: Any) -> Plan:
    return Plan(validate(BASE | {"masked": masked} | changes), workspace)


def texts(workspace: Workspace, stage: Stage) -> Corpus:
    return Corpus.load(workspace.cache.obtain(stage, workspace))


def scores(workspace: Workspace, stage: Stage, split: str) -> Tensor:
    folder = workspace.cache.obtain(stage.inputs[f"scores of {split}"], workspace)
    return read_tensors(folder / "scores.safetensors")[0]["scores"]


def gone(corpus: Corpus, split: str) -> Tensor:
    return corpus.splits[split].words == UNKNOWN


def test_the_tokens_go_that_the_model_of_whole_texts_scores_highest(workspace: Workspace) -> None:
    planned = plan(workspace, {"measure": "gradient", "share": 0.5})
    whole = plan(workspace, None)
    trained = planned.corpus.inputs["scores of train"].inputs["training"]  # type: ignore[union-attr]
    assert trained.key == whole.seeds[0].training.key, "the model that scores is the plain experiment's"
    assert planned.seeds[0].training.inputs["corpus"].key == planned.corpus.key
    corpus = texts(workspace, planned.corpus)
    for split, part in corpus.splits.items():
        values = scores(workspace, planned.corpus, split)
        for start, end in zip(part.starts[:-1].tolist(), part.starts[1:].tolist(), strict=True):
            hidden, kept = (
                values[start:end][m[start:end]] for m in (gone(corpus, split), ~gone(corpus, split))
            )
            assert len(hidden) == -(-(end - start) // 2)
            assert not len(kept) or hidden.min() >= kept.max()


def test_recursive_masking_asks_the_model_of_the_step_before(workspace: Workspace) -> None:
    steps = [
        plan(workspace, {"measure": "gradient", "share": s, "recursive": 0.2}) for s in (0.2, 0.4, 0.5)
    ]
    plain = plan(workspace, {"measure": "gradient", "share": 0.2})
    assert steps[0].corpus.key == plain.corpus.key, "before the first step nothing is masked"
    for before, after in itertools.pairwise(steps):
        assert after.corpus.inputs["corpus"].key == before.corpus.key
        scored = after.corpus.inputs["scores of dev"].inputs["training"]  # type: ignore[union-attr]
        assert scored.key == before.seeds[0].training.key
    corpora = [texts(workspace, step.corpus) for step in steps]
    for before, after in itertools.pairwise(corpora):
        assert all(gone(after, split)[gone(before, split)].all() for split in after.splits)


def test_nothing_everything_and_chance_are_the_same_however_they_are_written(
    workspace: Workspace,
) -> None:
    written = [
        {"measure": measure, "recursive": step}
        for measure in ("attention", "gradient", "truth")
        for step in (None, 0.5)
    ]
    nothing = {plan(workspace, one | {"share": 0.0}).seeds[0].training.key for one in written}
    assert nothing == {plan(workspace, None).seeds[0].training.key}
    everything = {plan(workspace, one | {"share": 1.0}).corpus.key for one in written}
    assert len(everything) == 1
    drawn = [
        plan(workspace, {"measure": "random", "share": 0.6, "recursive": step}).corpus.key
        for step in (None, 0.2)
    ]
    assert drawn[0] == drawn[1], "no model is asked"
    corpus = texts(workspace, plan(workspace, {"share": 1.0}).corpus)
    assert all(gone(corpus, split).all() for split in corpus.splits)


def test_chance_is_drawn_anew_for_every_seed(workspace: Workspace) -> None:
    random = {"measure": "random", "share": 0.5}
    first, second = (texts(workspace, plan(workspace, random, seeds=[s]).corpus) for s in (0, 1))
    assert not torch.equal(gone(first, "train"), gone(second, "train"))


def test_truth_masks_the_words_that_decide_first(workspace: Workspace) -> None:
    corpus = texts(workspace, plan(workspace, {"measure": "truth", "share": 0.2}).corpus)
    for split, part in corpus.splits.items():
        assert part.truth is not None
        assert gone(corpus, split)[part.truth].all()


def test_what_cannot_be_masked_is_refused_in_a_line(tmp_path: Path) -> None:
    csv = tmp_path / "texts.csv"
    rows = [
        f"{split},{label},a {label} day {n}"
        for split in ("train", "dev", "test")
        for label in "pn"
        for n in range(4)
    ]
    csv.write_text("\n".join(["split,label,text", *rows]), encoding="utf-8")
    table = {"type": "csv", "path": str(csv)}
    for changes, said in (
        (
            {"masked": {"measure": "gradeint"}},
            "masked.measure: no measure 'gradeint'; did you mean 'gradient'",
        ),
        ({"masked": {"share": 1.5}}, "masked.share: should be less than or equal to 1"),
        ({"masked": {"recursive": 0}}, "masked.recursive: should be greater than 0"),
        ({"masked": {"share": 0.5}, "seeds": [0, 1]}, "masked: every seed masks by a model of its own"),
        ({"masked": {"model": {"modle": 1}}}, "masked.model: unknown key 'modle'; did you mean 'model'"),
        ({"masked": {"model": {"data": {"type": "planted"}}}}, "masked.model: its data must be that of"),
        (
            {"masked": {"measure": "truth"}, "data": table},
            "masked.measure: the train texts have no marks",
        ),
    ):
        with pytest.raises(UserError) as refused:
            attex.run(BASE | changes, output_dir=tmp_path / "out")
        assert said in str(refused.value)
    assert not [*(tmp_path / "out").rglob("model.safetensors")], "nothing was trained"
