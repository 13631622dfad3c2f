"""The k of the top-k statistics: rules from a configuration, numbers from Python."""

import pytest
import torch
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from attex.agreement import top_k, top_k_published
from attex.agreement.depth import Fraction, depth_per_text, resolve_depth
from attex.agreement.statistic import STATISTICS
from attex.foundations.errors import UserError

MASK = torch.arange(12) < torch.tensor([12, 7, 1, 0])[:, None]
NONE = torch.zeros(4, 12)


@pytest.mark.parametrize(
    ("written", "read", "dumped"),
    [
        (5, 5, 5),
        ({"fraction": 0.25}, Fraction(fraction=0.25), {"fraction": 0.25}),
        ("average_length", "average_length", "average_length"),
        ("non_zero", "non_zero", "non_zero"),
    ],
)
@pytest.mark.parametrize("name", ["top_k", "top_k_published", "top_k_buckets", "jaccard_at_k"])
def test_a_configuration_names_a_number_or_a_rule(
    name: str, written: object, read: object, dumped: object
) -> None:
    spec = STATISTICS.spec({"type": name, "k": written})
    assert spec.options()["k"] == read
    assert spec.model_dump()["k"] == dumped
    assert STATISTICS.spec(spec.model_dump()) == spec


@pytest.mark.parametrize(
    "wrong", [0, -1, 2.5, True, "nonzero", {"fraction": 0}, {"fraction": 1.5}, {}, None]
)
def test_anything_else_is_refused_in_one_line(wrong: object) -> None:
    with pytest.raises(PydanticCustomError) as caught:
        STATISTICS.spec({"type": "top_k", "k": wrong})
    context = caught.value.context
    assert context is not None
    (problem,) = context["nested"]
    assert problem["loc"] == ("k",)
    assert "{fraction: f}" in problem["msg"]


def test_a_penalty_is_validated_and_the_schema_can_be_drawn() -> None:
    with pytest.raises(ValidationError):
        STATISTICS["top_k"].options.model_validate({"k": 3, "p": 2})
    schema = STATISTICS["top_k"].options.model_json_schema()
    assert schema["properties"]["p"]["maximum"] == 1
    assert len(schema["properties"]["k"]["anyOf"]) == 3
    assert "$defs" not in schema


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (5, [5, 5, 1, 0]),
        (100, [12, 7, 1, 0]),
        (torch.tensor([1, 9, 0, 4]), [1, 7, 0, 0]),
        (torch.tensor(2), [2, 2, 1, 0]),
        (Fraction(fraction=0.25), [3, 2, 1, 0]),
        (Fraction(fraction=0.01), [1, 1, 1, 0]),
        (Fraction(fraction=1.0), [12, 7, 1, 0]),
    ],
)
def test_a_depth_counts_as_the_length_at_most(k: object, expected: list[int]) -> None:
    assert depth_per_text(k, MASK).tolist() == expected
    assert resolve_depth(k, NONE, NONE, MASK, statistic="top_k").tolist() == expected


def test_a_fraction_is_not_fooled_by_rounding() -> None:
    mask = torch.ones(1, 100, dtype=torch.bool)
    assert depth_per_text(Fraction(fraction=0.07), mask).tolist() == [7]
    assert str(Fraction(fraction=0.07)) == "7%"


def test_average_length_is_that_of_the_test_set() -> None:
    lengths = torch.tensor([12, 7, 1, 0, 4])
    found = resolve_depth("average_length", NONE, NONE, MASK, statistic="top_k", lengths=lengths)
    assert found.tolist() == [4, 4, 1, 0]


def test_non_zero_counts_attention_and_for_the_published_statistic_the_fewest() -> None:
    attention = torch.ones(4, 12)
    attention[0, 3:] = 0.0
    a, b = torch.ones(4, 12), torch.ones(4, 12)
    a[1, 2:] = 0.0
    b[0, 1:] = 0.0
    rows = a, b, MASK
    assert resolve_depth("non_zero", *rows, statistic="top_k", attention=attention).tolist() == [
        3,
        7,
        1,
        0,
    ]
    published = resolve_depth("non_zero", *rows, statistic="top_k_published", attention=attention)
    assert published.tolist() == [1, 2, 1, 0]


@pytest.mark.parametrize(("rule", "named"), [("average_length", "lengths"), ("non_zero", "attention")])
def test_a_rule_says_what_it_needs(rule: str, named: str) -> None:
    with pytest.raises(UserError, match=named):
        resolve_depth(rule, NONE, NONE, MASK, statistic="top_k")
    with pytest.raises(ValueError, match="resolve_depth"):
        top_k(NONE, NONE, MASK, k=rule)


@pytest.mark.parametrize("k", [0, torch.rand(4), torch.tensor([1, 2])])
def test_a_k_that_is_none_is_refused(k: object) -> None:
    with pytest.raises(ValueError, match="k "):
        top_k_published(NONE, NONE, MASK, k=k)
