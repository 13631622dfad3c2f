"""What a message shows of a user's own words: enough to find them, never more than a line."""

import pytest

from attex.foundations.errors import brief, listed


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("good", "good"),
        ("größe 字", "größe 字"),
        (3, "3"),
        ("two\nlines", r"two\nlines"),
        ("\ud800", r"\ud800"),
        ("\x00\x1b", r"\x00\x1b"),
    ],
)
def test_a_value_is_shown_on_one_line_and_can_be_printed(value: object, shown: str) -> None:
    assert brief(value) == shown
    brief(value).encode()


def test_a_long_value_loses_its_end() -> None:
    assert brief("x" * 50_000) == "x" * 200 + "…"
    assert brief("abc", letters=3) == "abc"
    assert brief("abcd", letters=3) == "abc…"


def test_the_first_names_of_a_list_are_shown_and_the_others_counted() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed(["a", "b"], quote="'") == "'a', 'b'"
    assert listed([]) == ""
    assert listed(range(10)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert listed(range(11)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … and 1 more"
    assert listed(range(50_000)).endswith("9, … and 49,990 more")
    assert len(listed(["x" * 9_999] * 50_000)) < 700
