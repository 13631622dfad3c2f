"""A model that is asked something: closed forms by hand, and nothing depends on the batch."""

from copy import deepcopy
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch
from toys import (
    ASKED,
    HIDDEN,
    KINDS,
    PAD,
    WIDTH,
    WORD_ENCODERS,
    cheap,
    make_batch,
    make_model,
    rows_of,
    with_measures,
    with_query,
)

from attex.data.batch import Batch
from attex.foundations.divergences import distribution, total_variation
from attex.foundations.errors import UserError
from attex.importance.measure import MEASURES
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel
from attex.models.encoder import ENCODERS, Encoder
from attex.models.imposed import PermutedAttention

LENGTHS = [7, 1, 12, 2, 5]
CLASSES = 4
DECODERS: list[tuple[str, dict[str, Any]]] = [
    ("query", {}),
    ("query", {"shared": True}),
    ("pair", {"shared": True}),
    ("linear", {}),
]
ASKING = [(*kind, "query", {}) for kind in KINDS] + [
    (encoder.name, attention, "softmax", *decoder)
    for encoder, attention, decoder in product(WORD_ENCODERS, ("tanh", "sdp"), DECODERS[1:])
]
Kind = tuple[str, str, str, str, dict[str, Any]]


def name(kind: Kind) -> str:
    return "-".join([*kind[:4], *kind[4]])


def asking(kind: Kind) -> AttentionModel:
    encoder, attention, projection, decoder, query = kind
    return make_model(encoder, attention, projection, CLASSES, decoder=decoder, query=query)


def batch_of(candidates: bool = True) -> Batch:
    batch = make_batch(LENGTHS)
    return with_query(batch, ASKED, CLASSES if candidates else None)


def take(batch: Batch, rows: list[int], extra: int = 0) -> Batch:
    width = max(LENGTHS[row] for row in rows) + 2 + extra
    return rows_of(batch, rows, width, max(ASKED[row] for row in rows) + 2 + extra)


@pytest.mark.parametrize("kind", ASKING, ids=name)
def test_outputs_do_not_depend_on_the_batch_of_text_or_query(kind: Kind) -> None:
    model, batch = asking(kind), batch_of()
    together = model(batch)
    for row, length in enumerate(LENGTHS):
        for extra in (0, 6):
            alone = model(take(batch, [row], extra))
            torch.testing.assert_close(alone.logits[0], together.logits[row], atol=1e-5, rtol=0)
            n = length + 2
            assert torch.allclose(alone.attention[0, :n], together.attention[row, :n], atol=1e-5)
    shuffled = [3, 0, 4, 2, 1]
    again = model(take(batch, shuffled, 3))
    torch.testing.assert_close(again.logits, together.logits[shuffled], atol=1e-5, rtol=0)


@pytest.mark.parametrize(("kind", "measure"), with_measures(ASKING), ids=str)
def test_measures_do_not_depend_on_the_batch_of_text_or_query(kind: Kind, measure: str) -> None:
    model, batch, score = asking(kind), batch_of(), cheap(measure)
    together = score(model, batch)
    assert together.dtype == torch.float64
    assert together[~batch.scorable].isnan().all()
    assert (together[batch.scorable].nan_to_num(0.0) >= 0).all()
    for rows in ([0], [4, 2]):
        some = score(model, take(batch, rows, 4))
        for row, scores in zip(rows, some, strict=True):
            n = LENGTHS[row] + 2
            assert torch.allclose(scores[:n], together[row, :n], atol=1e-5, equal_nan=True)
            assert scores[n:].isnan().all()


@pytest.mark.parametrize("kind", ASKING, ids=name)
def test_the_query_decides_and_only_candidates_are_outputs(kind: Kind) -> None:
    model, batch = asking(kind), batch_of()
    assert batch.allowed is not None
    assert not batch.allowed.all()
    outputs = distribution(model(batch).logits)
    assert (outputs[~batch.allowed] == 0).all()
    assert torch.allclose(outputs.sum(dim=1), torch.ones(len(batch)).double())
    other = with_query(batch, ASKED, seed=8)
    free = replace(batch, allowed=None)
    changed = (model(other).logits - model(free).logits).abs().amax(dim=1)
    assert changed.max() > 1e-4 or (kind[3], kind[2]) == ("linear", "uniform")


@pytest.mark.parametrize("kind", ASKING, ids=name)
def test_padding_of_the_query_is_never_read(kind: Kind) -> None:
    model, batch = asking(kind), batch_of()
    assert batch.query is not None
    before = model(batch).logits
    padded = torch.where(batch.query.mask, batch.query.tokens, PAD + 9)
    after = model(replace(batch, query=replace(batch.query, tokens=padded))).logits
    torch.testing.assert_close(after, before, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", ASKING, ids=name)
def test_the_readout_decodes_as_the_model_does_under_any_weights(kind: Kind) -> None:
    model, batch = asking(kind), batch_of()
    trace = model(batch)
    readout = model.readout(trace.hidden, batch)
    assert readout.linear is False
    for attention in (trace.attention, torch.rand_like(trace.attention) * batch.scorable):
        expected = model.decode(trace.hidden, attention, batch)
        torch.testing.assert_close(readout.decode(attention), expected, atol=1e-4, rtol=1e-5)
        precise = readout.precise().decode(attention)
        assert precise.dtype == torch.float64
        torch.testing.assert_close(precise.float(), expected, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize(("encoder", "attention"), product(("lstm", "cnn"), ("tanh", "sdp")))
def test_energies_and_output_are_the_published_formulas(encoder: str, attention: str) -> None:
    model = make_model(encoder, attention, classes=CLASSES, decoder="query", query={})
    batch = batch_of(candidates=False)
    trace, q = model(batch), model.ask(batch)
    assert q is not None
    assert model.query is not None
    scores, decoder = model.attention, model.decoder
    for row in range(len(batch)):
        h, asked = trace.hidden[row], q[row]
        if attention == "tanh":
            inner = h @ scores.inner.weight.T + scores.inner.bias + scores.query.weight @ asked
            energies = torch.tanh(inner) @ scores.outer.weight[0]
        else:
            energies = h @ asked / model.encoder.width**0.5
        torch.testing.assert_close(trace.energies[row], energies, atol=1e-5, rtol=1e-5)
        alpha = energies[batch.scorable[row]].softmax(dim=0)
        context = alpha @ h[batch.scorable[row]]
        inner = decoder.context(context) + decoder.query.weight @ asked
        expected = decoder.output(torch.tanh(inner))
        torch.testing.assert_close(trace.logits[row], expected, atol=1e-4, rtol=1e-4)


def test_a_pair_is_compared_by_both_contexts() -> None:
    model = make_model("lstm", classes=3, decoder="pair", query={"shared": True})
    batch = batch_of(candidates=False)
    assert batch.query is not None
    trace = model(batch)
    alone = AttentionModel(model.embedding, model.encoder, model.attention, make_model().decoder)
    contexts = [alone(text).context for text in (replace(batch, query=None), batch.query)]
    torch.testing.assert_close(trace.context, contexts[0])
    first, second = contexts
    both = torch.cat([first, second, (first - second).abs(), first * second], dim=1)
    torch.testing.assert_close(trace.logits, model.decoder.output(both), atol=1e-5, rtol=1e-5)


def test_summaries_are_last_states_highest_filters_and_means() -> None:
    torch.manual_seed(0)
    batch = make_batch(ASKED, extra_padding=3)
    embedded = torch.randn(*batch.tokens.shape, WIDTH)
    for entry in WORD_ENCODERS:
        width = {"hidden": HIDDEN} if "hidden" in entry.options.model_fields else {}
        encoder: Encoder = ENCODERS.bind(ENCODERS.spec({"type": entry.name} | width), WIDTH)
        found = encoder.summary(encoder(embedded, batch.mask), batch.mask)
        for row, count in enumerate(batch.mask.sum(dim=1).tolist()):
            text = embedded[row, :count]
            hidden = encoder(text[None], torch.ones(1, count, dtype=torch.bool))[0]
            if entry.name in ("lstm", "gru"):
                last = [
                    side(x[None])[1] for side, x in ((encoder.ahead, text), (encoder.back, text.flip(0)))
                ]
                ends = [state[0] if isinstance(state, tuple) else state for state in last]
                expected = torch.cat([end[0, 0] for end in ends])
            elif entry.name == "cnn":
                expected = hidden.max(dim=0).values
            else:
                expected = hidden.mean(dim=0)
            torch.testing.assert_close(found[row], expected, atol=1e-5, rtol=1e-5)


def counting_padding(value: bool | int) -> Any:
    torch.manual_seed(0)
    spec = {"type": "average", "hidden": HIDDEN, "mean_over_padding": value}
    return ENCODERS.bind(ENCODERS.spec(spec), WIDTH)


def test_the_published_mean_counts_padding() -> None:
    encoder, batch = counting_padding(True), make_batch(ASKED)
    embedded = torch.randn(*batch.tokens.shape, WIDTH) * batch.mask[..., None]
    found = encoder.summary(encoder(embedded, batch.mask), batch.mask)
    expected = torch.tanh(encoder.project(embedded)).mean(dim=1)
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)
    spec = ENCODERS.spec({"type": "average"})
    assert "mean_over_padding" not in spec.settings()


@pytest.mark.parametrize("width", [1, 4, 30])
def test_padding_to_a_width_is_counted_whatever_a_query_is_beside(width: int) -> None:
    encoder, batch = counting_padding(width), make_batch(ASKED)
    embedded = torch.randn(*batch.tokens.shape, WIDTH) * batch.mask[..., None]
    found = encoder.summary(encoder(embedded, batch.mask), batch.mask)
    for row, real in enumerate(batch.mask.sum(dim=1).tolist()):
        text = torch.zeros(max(real, width), WIDTH)
        text[:real] = embedded[row, :real]
        expected = torch.tanh(encoder.project(text)).mean(dim=0)
        torch.testing.assert_close(found[row], expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    "kind", [k for k in ASKING if k[2] in ("softmax", "sparsemax") and k[1] != "last"], ids=name
)
def test_leave_one_out_is_what_re_encoding_gives(kind: Kind) -> None:
    model, batch = asking(kind), batch_of()
    found = MEASURES["leave_one_out"].target(model, batch)
    whole = model(batch).logits
    for row, length in enumerate(LENGTHS):
        if length == 1:
            assert found[row].isnan().all()
            continue
        text = take(batch, [row])
        for position in text.scorable[0].nonzero()[:, 0].tolist():
            kept = text.mask.clone()
            kept[0, position] = False
            change = total_variation(model(text.keeping(kept)).logits[0], whole[row])
            assert abs(change.item() - found[row, position].item()) < 1e-5


@pytest.mark.parametrize("kind", [("lstm", *k[1:]) for k in ASKING if k[0] == "lstm"], ids=name)
def test_leave_one_out_is_the_same_in_small_pieces(kind: Kind) -> None:
    model, batch, measure = asking(kind), batch_of(), MEASURES["leave_one_out"].target
    whole = measure(model, batch)
    assert torch.allclose(measure(model, batch, budget=1), whole, atol=1e-6, equal_nan=True)


def test_shared_modules_are_saved_once_and_stay_tied_in_a_copy() -> None:
    model = make_model("lstm", classes=CLASSES, decoder="query", query={"shared": True})
    own = make_model("lstm", classes=CLASSES, decoder="query", query={})
    assert not any(name.startswith("query.") for name in model.state_dict())
    assert {"query.embedding.weight", "query.encoder.ahead.weight_ih_l0"} <= set(own.state_dict())
    copy, batch = deepcopy(model), batch_of()
    with torch.no_grad():
        copy.embedding.weight.zero_()
        before = model.ask(batch), copy.ask(batch)
    assert before[0] is not None
    assert before[1] is not None
    assert not torch.allclose(*before)


def test_a_permuted_attention_keeps_the_query() -> None:
    model, batch = asking(("lstm", "tanh", "softmax", "query", {})), batch_of()
    permuted = PermutedAttention(model, 0)
    own, other = model(batch), permuted(batch)
    assert torch.allclose(own.attention.sort(dim=1).values, other.attention.sort(dim=1).values)
    expected = model.readout(own.hidden, batch).decode(other.attention)
    torch.testing.assert_close(other.logits, expected, atol=1e-5, rtol=1e-5)


def test_one_text_models_are_keyed_as_before() -> None:
    assert "query" not in MODELS.spec("attention").settings()
    assert MODELS.spec({"query": {}}).settings()["query"] == {"encoder": None, "shared": False}


def test_the_querys_encoder_may_be_another() -> None:
    model = make_model("lstm", classes=3, decoder="query", query={"encoder": "average"})
    q = model.ask(batch_of())
    assert q is not None
    assert q.shape == (len(LENGTHS), 128)
    assert model(batch_of(candidates=False)).logits.shape == (len(LENGTHS), 3)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"decoder": "query"}, "model.decoder: 'query' needs a query; set model.query to {}"),
        ({"decoder": "pair"}, "model.decoder: 'pair' needs a query; set model.query to {}"),
        (
            {"query": {"shared": True, "encoder": "cnn"}},
            "model.query: 'shared' means the text's encoder; leave out one of both",
        ),
        (
            {"query": {"encoder": "cnn"}, "attention": "sdp"},
            "model.query.encoder: states and query must be of one width for their product, "
            "not 256 and 128",
        ),
        (
            {"query": {"encoder": "cnn"}, "decoder": "pair"},
            "model.query.encoder: the decoder 'pair' takes two texts of one width, not 256 and 128",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        assemble(MODELS.spec(parts), 50, 3, seed=0)
    assert str(caught.value) == message


def test_a_turned_pair_says_the_same_and_scores_the_other_text() -> None:
    model = make_model("gru", "tanh", "sparsemax", 3, decoder="pair", query={})
    batch = batch_of(candidates=False)
    assert batch.query is not None
    turned = batch.turned()
    other = model.turned()
    whole = model(batch).logits
    torch.testing.assert_close(other(turned).logits, whole, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(other.turned()(batch).logits, whole)
    found = MEASURES["leave_one_out"].target(other, turned)
    for row, length in enumerate(ASKED):
        text = take(batch, [row])
        assert text.query is not None
        for position in range(1, length + 1) if length > 1 else ():
            kept = text.query.mask.clone()
            kept[0, position] = False
            shorter = replace(text, query=text.query.keeping(kept))
            change = total_variation(model(shorter).logits[0], whole[row])
            assert abs(change.item() - found[row, position].item()) < 1e-5
