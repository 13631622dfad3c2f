"""From a choice of `MODELS` to a model, untrained or with its weights."""

from pathlib import Path
from typing import Any

import pytest
import torch
from toys import make_batch

from attex.config.loading import validate
from attex.foundations.errors import UserError
from attex.foundations.storage import write_tensors
from attex.models.architecture import MODELS
from attex.models.assembly import assemble, load_model

CPU = torch.device("cpu")
SMALL = MODELS.spec({"embedding_width": 12, "encoder": {"type": "lstm", "hidden": 8}})


def test_weights_depend_on_the_seed_and_on_no_draw_before() -> None:
    torch.manual_seed(5)
    first = assemble(SMALL, 50, 2, seed=1)
    drawn = torch.rand(3)
    second, other = assemble(SMALL, 50, 2, seed=1), assemble(SMALL, 50, 2, seed=2)
    for name, value in first.state_dict().items():
        assert torch.equal(value, second.state_dict()[name]), name
    assert not torch.equal(first.embedding.weight, other.embedding.weight)
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.rand(3)), "building a model must not move the caller's draws"


def test_classes_and_words_give_the_shapes() -> None:
    assert assemble(SMALL, 50, 2, seed=0).decoder(torch.zeros(1, 16)).shape == (1, 1)
    model = assemble(SMALL, 70, 5, seed=0)
    assert model.decoder(torch.zeros(1, 16)).shape == (1, 5)
    assert model.embedding.weight.shape == (70, 12)


def test_pretrained_vectors_are_the_table_but_for_padding() -> None:
    vectors = torch.randn(50, 12)
    table = assemble(SMALL, 50, 2, seed=0, vectors=vectors).embedding.weight
    assert torch.equal(table[1:], vectors[1:])
    assert not table[0].any()


def test_a_model_comes_back_from_its_weights_without_a_corpus(tmp_path: Path) -> None:
    model, batch = assemble(SMALL, 50, 3, seed=4).eval(), make_batch([7, 1, 12])
    write_tensors(tmp_path / "model.safetensors", model.state_dict())
    loaded = load_model(SMALL, 50, 3, tmp_path / "model.safetensors", CPU)
    assert not loaded.training
    assert torch.equal(loaded(batch).logits, model(batch).logits)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_weights_that_are_no_numbers_are_refused(value: float, tmp_path: Path) -> None:
    state = assemble(SMALL, 50, 2, seed=0).state_dict()
    state["embedding.weight"][17, 3] = value
    path = tmp_path / "model.safetensors"
    write_tensors(path, state)
    with pytest.raises(UserError) as caught:
        load_model(SMALL, 50, 2, path, CPU)
    assert str(caught.value) == (
        f"{path}: the weights 'embedding.weight' are not all finite numbers; "
        "the model must be trained again"
    )


@pytest.mark.parametrize(
    ("parts", "words", "message"),
    [
        ({}, 60, "the weights 'embedding.weight' are [60, 12], and [50, 12] in this model"),
        ({"encoder": "average"}, 50, "there are no weights 'encoder.ahead.weight_ih_l0', which this"),
        ({"attention": "last"}, 50, "there are no weights 'attention.inner.weight', which this model"),
    ],
)
def test_weights_of_another_model_are_refused(
    parts: dict[str, Any], words: int, message: str, tmp_path: Path
) -> None:
    other = MODELS.spec({"embedding_width": 12, "encoder": {"type": "lstm", "hidden": 8}} | parts)
    path = tmp_path / "model.safetensors"
    write_tensors(path, assemble(other, words, 2, seed=0).state_dict())
    with pytest.raises(UserError) as caught:
        load_model(SMALL, 50, 2, path, CPU)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_weights_that_a_model_does_not_have_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    write_tensors(path, assemble(SMALL, 50, 2, seed=0).state_dict() | {"more": torch.zeros(1)})
    with pytest.raises(UserError, match="there are weights 'more', which this model does not have"):
        load_model(SMALL, 50, 2, path, CPU)


def test_a_model_without_a_type_is_one_with_attention() -> None:
    given = {"encoder": {"type": "cnn"}, "attention": "last"}
    plain, named = (validate({"model": model}) for model in (given, {"type": "attention"} | given))
    assert plain == named
    assert plain.resolved()["model"]["type"] == "attention"
    about = MODELS.bind(plain.model).about()
    assert about == {"encoder": "cnn", "attention": "last", "projection": "none"}
