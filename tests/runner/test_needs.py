"""A measure that a model cannot have is refused before anything is trained."""

from pathlib import Path
from typing import Any

import pytest

import attex
from attex.foundations.errors import UserError

TINY: dict[str, Any] = {
    "name": "needs",
    "data": {"type": "planted", "sizes": [20, 10, 10]},
    "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 4}},
    "trainer": {"epochs": 1},
    "analyses": [],
}
STACKED = {"model": {"embedding_width": 4, "encoder": {"type": "transformer", "hidden": 4}}}


def refused(output: Path, **changed: Any) -> str:
    with pytest.raises(UserError) as problem:
        attex.run(TINY | changed, output_dir=output, device="cpu")
    assert not list(output.glob(".cache/*/training"))
    message = str(problem.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    "measure",
    [
        "attention_rollout",
        "attention_flow",
        "value_zeroing",
        {"type": "attention", "head": 0},
        {"type": "attention_norm", "layer": 0},
    ],
)
def test_without_layers_it_says_that_they_are_needed(measure: Any, tmp_path: Path) -> None:
    message = refused(tmp_path, importance=["attention", measure])
    assert "needs layers of self-attention, which this model's encoder does not have" in message


def test_a_layer_that_is_not_there_is_said(tmp_path: Path) -> None:
    message = refused(tmp_path, importance=[{"type": "value_zeroing", "layer": 2}], **STACKED)
    assert "there is no layer 2; the model has 2, from 0 on" in message


def test_what_masks_by_such_a_measure_is_refused_too(tmp_path: Path) -> None:
    message = refused(tmp_path, importance=[], masked={"measure": "attention_rollout"})
    assert "masked.model: importance: attention_rollout needs layers" in message


def test_where_the_query_has_other_layers_both_texts_must_have_them(tmp_path: Path) -> None:
    query = {"encoder": {"type": "average", "hidden": 4}}
    model = STACKED["model"] | {"decoder": "pair", "query": query}
    data = TINY["data"] | {"task": "question"}
    message = refused(tmp_path, importance=["attention_rollout"], model=model, data=data)
    assert "attention_rollout needs layers" in message
