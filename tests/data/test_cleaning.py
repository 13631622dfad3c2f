"""Tokenizers against their definitions, written down once more."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attex.data.cleaning import (
    jain_wallace_words,
    keras_words,
    spacy_words,
    words_and_marks,
    words_only,
)

ASCII = st.text(st.sampled_from(string.printable), max_size=60)


@given(st.text(max_size=60) | ASCII)
def test_keras_words_are_split_at_its_filters_and_white_space(text: str) -> None:
    filters = set(string.punctuation + "\t\n") - {"'"}
    spaced = "".join(" " if character in filters else character for character in text.lower())
    assert keras_words(text) == spaced.split()


def test_keras_keeps_what_markup_leaves() -> None:
    assert keras_words("It's GREAT.<br /><br />Really!") == ["it's", "great", "br", "br", "really"]


@given(ASCII)
def test_words_only_are_the_runs_of_letters_digits_and_underscores(text: str) -> None:
    kept = string.ascii_letters + string.digits + "_"
    spaced = "".join(character if character in kept else " " for character in text)
    assert words_only(text) == spaced.lower().split()


@given(ASCII)
def test_words_and_marks_lose_white_space_only(text: str) -> None:
    assert "".join(words_and_marks(text)) == "".join(text.lower().split())


@given(ASCII)
def test_a_mark_stands_alone_or_inside_a_contraction(text: str) -> None:
    for token in words_and_marks(text):
        assert len(token) == 1 or not set(token) & (set(string.punctuation) - set("'_"))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't stop—ever.", ["don't", "stop", "—", "ever", "."]),
        ("rock'n'roll", ["rock'n'roll"]),
        ("it’s 'quoted'", ["it’s", "'", "quoted", "'"]),
        ("...", [".", ".", "."]),
        ("", []),
    ],
)
def test_words_and_marks_keep_contractions_whole(text: str, tokens: list[str]) -> None:
    assert words_and_marks(text) == tokens


@given(ASCII)
def test_spacy_words_lose_white_space_only(text: str) -> None:
    assert "".join(spacy_words(text)) == "".join(text.lower().split())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Didn't it's they've", ["did", "n't", "it", "'s", "they", "'ve"]),
        ("Can’t, Ann’s", ["ca", "n’t", ",", "ann", "’s"]),
        ("'so' n't", ["'", "so", "'", "n't"]),
        ("1,000.50 7:30pm 3-2 a1", ["1,000.50", "7:30pm", "3", "-", "2", "a1"]),
        ("see http://a.org/b?c=1 now", ["see", "http://a.org/b?c=1", "now"]),
        ("e-mail (U.S.)", ["e", "-", "mail", "(", "u", ".", "s", ".", ")"]),
    ],
)
def test_spacy_words_split_clitics_and_keep_numbers_and_addresses(text: str, tokens: list[str]) -> None:
    assert spacy_words(text) == tokens


def test_tokens_with_a_digit_are_masked() -> None:
    assert jain_wallace_words("A 2nd goal, 3-2!") == ["a", "qqq", "goal", ",", "qqq", "-", "qqq", "!"]
