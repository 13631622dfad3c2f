"""How many of the highest scores are compared: the k of a statistic, or the rule that gives it."""

from typing import Annotated, Any, Literal

import torch
from pydantic import Field, GetPydanticSchema, ValidationError, WithJsonSchema, WrapValidator
from pydantic_core import PydanticCustomError
from torch import Tensor

from attex.foundations.errors import UserError
from attex.foundations.registry import Strict

_ROUNDING = 1e-9
"""0.07 · 100 is 7.000000000000001 in floating point, and its ceiling is meant to be 7."""

_SMALLER_COUNT = frozenset({"top_k_published"})
"""Under `non_zero` these take the smaller count of the vectors compared, as their authors did."""


class Fraction(Strict):
    """A share of the text: max(1, ⌈fraction · n⌉)."""

    fraction: Annotated[float, Field(gt=0, le=1)]

    def __str__(self) -> str:
        return f"{100 * self.fraction:g}%"


def _one_message(value: Any, validate: Any) -> Any:
    try:
        return validate(value)
    except ValidationError:
        # Of a union Pydantic reports every branch; one line says what they all allow.
        raise PydanticCustomError(
            "not_a_depth",
            "expected a whole number from 1, {{fraction: f}} with 0 < f ≤ 1, 'average_length' or "
            "'non_zero', not {value}",
            {"value": repr(value)},
        ) from None


_Rule = Annotated[
    Annotated[int, Field(strict=True, ge=1, le=10**9)]
    | Fraction
    | Literal["average_length", "non_zero"],
    WrapValidator(_one_message),
    # Written out: a component's schema is put inside others, where a reference leads nowhere.
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {
                    "type": "object",
                    "properties": {"fraction": {"type": "number", "exclusiveMinimum": 0, "maximum": 1}},
                    "required": ["fraction"],
                    "additionalProperties": False,
                },
                {"enum": ["average_length", "non_zero"]},
            ]
        }
    ),
]

Depth = Annotated[
    int | Tensor | Fraction | Literal["average_length", "non_zero"],
    GetPydanticSchema(lambda _, handler: handler.generate_schema(_Rule)),
]
"""The k of a statistic: a number, one number per text [B], or a rule (a configuration's choice).

`average_length` is ⌊mean length of the test set⌋, `non_zero` the number of a text's attention
weights that are not 0; both need `resolve_depth` before a statistic can use them.
"""


def depth_per_text(k: Depth, mask: Tensor) -> Tensor:
    """Return each text's k, its number of tokens at most: [B], mask [B,T] → [B] in int64."""
    n = mask.sum(dim=1)
    if isinstance(k, str):
        raise ValueError(f"k = '{k}' is a rule: resolve_depth gives the k of each text")
    if isinstance(k, Fraction):
        return (k.fraction * n.double() - _ROUNDING).ceil().long().clamp(min=1).minimum(n)
    if isinstance(k, int):
        if k < 1:
            raise ValueError(f"k = {k} is less than 1")
        return n.clamp(max=k)
    if k.is_floating_point() or k.shape not in (n.shape, ()):
        raise ValueError(
            f"k needs whole numbers, one for each of {len(n)} texts, not {k.dtype} {[*k.shape]}"
        )
    return k.to(n.device).long().expand_as(n).minimum(n)


def resolve_depth(
    k: Depth,
    a: Tensor,
    b: Tensor,
    mask: Tensor,
    *,
    statistic: str,
    attention: Tensor | None = None,
    lengths: Tensor | None = None,
) -> Tensor:
    """Return each text's k for comparing a and b under a statistic: a, b, mask [B,T] → [B].

    `attention` [B,T] is the same texts' attention whether or not it is one of the two, so that all
    pairs of measures are compared at one k; `lengths` are those of the whole test set. 0, which
    leaves the statistic undefined, where no counted weight is other than 0.
    """
    if k == "average_length":
        if lengths is None:
            raise UserError("k: 'average_length' needs the lengths of the test set")
        k = int(lengths.sum()) // len(lengths)
    elif k == "non_zero":
        if attention is None:
            raise UserError("k: 'non_zero' needs the measure 'attention' among the importance measures")
        counts = [((x != 0) & mask).sum(dim=1) for x in (attention, a, b)]
        k = torch.stack(counts).amin(dim=0) if statistic in _SMALLER_COUNT else counts[0]
    return depth_per_text(k, mask)
