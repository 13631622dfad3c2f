"""How much a word tells of the label, against scikit-learn; and who learns it where."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import mutual_info_score
from toys import make_model

import attex
from attex.data.batch import Batch, Batcher
from attex.data.corpus import SPECIALS, Corpus
from attex.data.split import Split
from attex.foundations.errors import UserError
from attex.importance import mutual_information

TEXTS = [[4, 5, 5, 9], [4, 6], [7, 5], [6, 6, 7], [5], [8, 4, 6], [11, 4]]
LABELS = [0, 0, 1, 2, 1, 2, 0]
KNOWN = 10
"""Words from here on the model does not know."""


def corpus(classes: int) -> Corpus:
    lengths = torch.tensor([0, *map(len, TEXTS)])
    labels = torch.tensor(LABELS).clamp(max=classes - 1)
    names = [str(number) for number in range(len(TEXTS))]
    words = torch.tensor([word for text in TEXTS for word in text])
    split = Split(words, lengths.cumsum(0), labels, torch.arange(len(TEXTS)), names, None)
    lexicon = [*SPECIALS, *(f"w{n}" for n in range(4, 13))]
    return Corpus(lexicon, KNOWN, ["a", "b", "c"][:classes], {"train": split}, {})


def by_hand(word: int, classes: int) -> float:
    """Add a text with all words to each class, and average over the classes, each against the rest."""
    labels = np.minimum(LABELS, classes - 1)
    seen = [[min(w, KNOWN) for w in text] for text in TEXTS]
    there = np.array([word in text for text in seen] + [True] * classes)
    labels = np.concatenate([labels, np.arange(classes)])
    each = [mutual_info_score(there, labels == c) for c in range(classes)]
    return float(np.average(each, weights=np.bincount(labels)))


@pytest.mark.parametrize("classes", [2, 3])
def test_it_is_scikit_learns(classes: int) -> None:
    texts = corpus(classes)
    batch = Batcher(texts, "train").batch(np.arange(len(TEXTS)))
    scores = mutual_information(texts)(make_model(), batch)
    for row, text in enumerate(TEXTS):
        expected = [by_hand(min(word, KNOWN), classes) for word in text]
        np.testing.assert_allclose(scores[row][batch.scorable[row]], expected, atol=1e-12)


def test_a_word_of_no_training_text_is_in_the_added_ones_only() -> None:
    scores = mutual_information(corpus(3))(make_model(), Batch(*_one([12])))
    assert scores.item() == pytest.approx(by_hand(12, 3), abs=1e-12)


def _one(tokens: list[int]) -> tuple[torch.Tensor, ...]:
    row = torch.tensor([tokens])
    real = torch.ones_like(row, dtype=torch.bool)
    return row, real, real, torch.zeros(1).long(), torch.zeros(1).long()


class InPieces(Batcher):
    """Every word as two pieces: the tens and the ones of its number."""

    def batch(self, texts: Any) -> Batch:
        return in_pieces(super().batch(texts))


def in_pieces(whole: Batch) -> Batch:
    pieces = torch.stack([20 + whole.tokens // 10, whole.tokens % 10], dim=-1).flatten(1)
    mask, scorable = (x.repeat_interleave(2, dim=1) for x in (whole.mask, whole.scorable))
    number = (whole.scorable.cumsum(dim=1) - 1).repeat_interleave(2, dim=1).where(scorable, -1)
    return replace(whole, tokens=pieces, mask=mask, scorable=scorable, word=number)


def test_a_word_in_pieces_is_the_row_of_its_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = corpus(2)
    whole = Batcher(texts, "train").batch(np.arange(len(TEXTS)))
    expected = mutual_information(texts)(make_model(), whole)
    monkeypatch.setattr("attex.importance.controls.Batcher", InPieces)
    pieces = in_pieces(whole)
    found = mutual_information(texts)(make_model(), pieces)
    assert torch.equal(found.isfinite(), pieces.scored)
    torch.testing.assert_close(found[pieces.scored], expected[whole.scorable])


def test_a_run_learns_it_from_its_training_texts_and_a_new_text_has_none(tmp_path: Path) -> None:
    experiment = {
        "data": {"type": "planted", "sizes": [60, 20, 20]},
        "model": {"embedding_width": 4, "encoder": {"type": "average", "hidden": 4}},
        "trainer": {"epochs": 1},
        "importance": ["attention", "mutual_information"],
        "analyses": [],
    }
    run = attex.run(experiment, output_dir=tmp_path, device="cpu")
    assert isinstance(run, attex.Run)
    by_word: dict[str, set[float]] = {}
    for row in run.instances.to_dicts():
        for token, score in zip(row["tokens"], row["mutual_information"], strict=True):
            by_word.setdefault(token, set()).add(score)
    assert all(len(scores) == 1 for scores in by_word.values())
    assert max(max(scores) for scores in by_word.values()) > 0.02
    explained = run.explain("the music was awful")
    assert np.isnan(explained.scores["mutual_information"]).all()
    with pytest.raises(UserError, match="mutual_information is learned from the training texts"):
        run.explain("the music was awful", measures=["mutual_information"])
