"""JSON of every kind that Python's own parser answers with another exception."""

import json

import pytest

from attex.foundations.json_text import NotJSON, parse_json


@pytest.mark.parametrize("value", [{"a": [1, -2, 0.5, None, True, "ü"]}, [], 7, 10**3_000])
def test_what_json_writes_is_read_again(value: object) -> None:
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("", "Expecting value", (1, 1)),
        ('{\n "a": 1,\n}', "Expecting property name enclosed in double quotes", (3, 1)),
        ("9" * 5_000, "an integer of 5,000 digits", None),
        ('{"seeds": [%s]}' % ("9" * 5_000), "an integer of 5,000 digits", None),
        ("[" * 100_000, "nested too deeply", None),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply", None),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply", None),
    ],
)
def test_what_cannot_be_read_is_one_exception_with_the_reason(
    text: str, reason: str, place: tuple[int, int] | None
) -> None:
    with pytest.raises(NotJSON) as caught:
        parse_json(text)
    assert str(caught.value).startswith(reason)
    assert caught.value.place == place
