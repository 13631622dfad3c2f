"""The reader that made a corpus also cuts a new text, cleaned in the same way."""

from pathlib import Path

import pytest

from attex.data.folder import DataFolder
from attex.data.reader import READERS, Document, Reader


@pytest.mark.parametrize(
    ("data", "text", "tokens"),
    [
        ("sst", "It's (not) GOOD!", ["it", "s", "not", "good"]),
        (
            {"type": "sst", "cleaning": "none"},
            "It's (so) good...",
            ["It", "'s", "-LRB-", "so", "-RRB-", "good", "..."],
        ),
        ("imdb", "It's so-so.<br />1 star", ["it's", "so", "so", "br", "1", "star"]),
        ("ag_news", "Up 1.5% on Monday", ["up", "qqq", "%", "on", "monday"]),
        ("20news", "Up 1.5% on Monday", ["up", "qqq", "on", "monday"]),
        ("rotten_tomatoes", "Don't see it!", ["don't", "see", "it", "!"]),
        ("eraser_movies", 'Mr. Bean, "don\'t"', ["mr.", "bean", ",", '"', "do", "n't", '"']),
        ("deceptive", "He said so.", ["he", "said", "so."]),
        ({"type": "csv", "path": "x", "tokenizer": "whitespace"}, "So, so", ["So,", "so"]),
        ({"type": "jsonl", "path": "x"}, "So, so", ["so", ",", "so"]),
    ],
    ids=str,
)
def test_every_dataset_cuts_a_new_text_as_its_own(data: object, text: str, tokens: list[str]) -> None:
    reader: Reader = READERS.bind(READERS.spec(data))
    assert reader.tokens(text) == tokens


@pytest.mark.parametrize(
    ("data", "share"),
    [
        ("rotten_tomatoes", 0.99),
        ("sst", 0.998),
        ({"type": "sst", "cleaning": "none"}, 0.997),
        ({"type": "deceptive", "task": "pronoun"}, 1.0),
    ],
    ids=str,
)
def test_tokens_between_spaces_are_cut_as_they_were(
    data: object, share: float, real_data: DataFolder
) -> None:
    assert cut_alike(data, real_data) >= share


def test_generated_texts_are_cut_as_they_were(tmp_path: Path) -> None:
    assert cut_alike("planted", DataFolder(tmp_path)) == 1


def cut_alike(data: object, folder: DataFolder) -> float:
    """The share of a dataset's texts that come out the same, joined by spaces and cut again."""
    reader: Reader = READERS.bind(READERS.spec(data))
    texts = [one.tokens for one in reader.documents(folder) if isinstance(one, Document)]
    return sum(reader.tokens(" ".join(text)) == text for text in texts) / len(texts)
