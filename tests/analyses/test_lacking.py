"""What an analysis lacks, of a model or of a corpus, is said before anything is trained."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from toy_evidence import evidence
from toys import make_model

from attex.analyses.analysis import ANALYSES, Analysis
from attex.analyses.stacked_attention import StackedAttentionAnalysis
from attex.foundations.errors import UserError
from attex.models.classifier import AttentionModel

OF_ATTENTION = {
    "adversarial",
    "contextualisation",
    "erasure",
    "impermissible",
    "log_odds",
    "permutation",
}
EVERY = [entry.name for entry in ANALYSES]


def bound(name: str, **options: Any) -> Analysis:
    analysis: Analysis = ANALYSES.bind(ANALYSES.spec({"type": name} | options))
    return analysis


def without_weights(attention: str = "tanh", classes: int = 2, encoder: str = "lstm") -> AttentionModel:
    return make_model(encoder, attention=attention, classes=classes).to("meta")


def lacking(analysis: Analysis, classes: int = 2, truth: bool = True, **model: Any) -> str | None:
    corpus = replace(evidence(truth=truth).corpus, classes=["a", "b", "c"][:classes])
    stacked = {"encoder": "transformer"} if isinstance(analysis, StackedAttentionAnalysis) else {}
    return analysis.lacks(without_weights(classes=classes, **stacked | model), corpus)


@pytest.mark.parametrize("name", EVERY)
def test_nothing_lacks_where_everything_is(name: str) -> None:
    assert lacking(bound(name)) is None


@pytest.mark.parametrize("name", EVERY)
def test_a_model_that_scores_no_states_has_no_attention_to_examine(name: str) -> None:
    assert (lacking(bound(name), attention="last") is not None) == (name in OF_ATTENTION)


@pytest.mark.parametrize("name", EVERY)
def test_more_than_two_classes_have_no_log_odds(name: str) -> None:
    assert (lacking(bound(name), classes=3) is not None) == (name == "log_odds")


@pytest.mark.parametrize("name", EVERY)
def test_truth_is_nowhere_if_no_token_is_marked(name: str) -> None:
    assert (lacking(bound(name), truth=False) is not None) == (name == "truth")
    corpus = evidence().corpus
    texts = corpus.splits["test"]
    assert texts.truth is not None
    unmarked = replace(texts, truth=torch.zeros_like(texts.truth))
    model = without_weights(encoder="transformer")
    said = bound(name).lacks(model, replace(corpus, splits={"test": unmarked}))
    assert (said is not None) == (name == "truth")


def test_without_the_search_adversaries_are_of_binary_linear_models_only() -> None:
    exact = bound("adversarial", search=False)
    assert lacking(exact) is None
    assert "search is off" in str(lacking(exact, classes=3))
    assert lacking(bound("adversarial"), classes=3) is None
    model = without_weights()
    model.decoder.linear = False
    assert "search is off" in str(exact.lacks(model, evidence().corpus))


@pytest.mark.parametrize(("decoder", "classes"), [("linear", 3), ("query", 2), ("pair", 2)])
def test_adversaries_are_only_searched_for_where_the_maximum_is_not_known(
    decoder: str, classes: int
) -> None:
    analysis, corpus = bound("adversarial"), evidence().corpus
    assert analysis.lacks_parts(without_weights(), corpus) == {}
    query = None if decoder == "linear" else {}
    model = make_model(classes=classes, decoder=decoder, query=query).to("meta")
    corpus = replace(corpus, classes=["a", "b", "c"][:classes])
    assert analysis.lacks(model, corpus) is None
    assert [*analysis.lacks_parts(model, corpus)] == ["exact"]


def test_layers_of_self_attention_are_not_in_every_model() -> None:
    assert lacking(bound("stacked_attention"), encoder="lstm") == (
        "the model has no layers of self-attention"
    )
    assert lacking(bound("stacked_attention", layers=[1])) is None
    with pytest.raises(UserError, match="there is no layer 2; the model has 2, from 0 on"):
        lacking(bound("stacked_attention", layers=[0, 2]))


def test_rows_are_searched_for_where_one_alone_is_read() -> None:
    model, corpus = without_weights(encoder="transformer"), evidence().corpus
    assert list(bound("stacked_attention").lacks_parts(model, corpus)) == ["search"]
    assert not bound("stacked_attention", search=False).lacks_parts(model, corpus)
