"""Words that are cut into pieces: what belongs to them, and where their score stands."""

import torch

from attex.data.batch import Batch
from attex.foundations.divergences import distribution
from attex.importance.explained import Explained
from attex.importance.measure import by_word, only_scorable

WORD = torch.tensor([[-1, 0, 0, 1, 2, 2, 2, -1], [-1, 0, 1, 1, -1, -1, -1, -1]])
LENGTH = torch.tensor([[8], [5]])
MASK = torch.arange(8) < LENGTH
BATCH = Batch(
    tokens=torch.ones_like(WORD),
    mask=MASK,
    scorable=WORD >= 0,
    labels=torch.zeros(2, dtype=torch.long),
    ids=torch.arange(2),
    word=WORD,
)


def test_a_word_has_the_sum_of_its_pieces_at_the_first_of_them() -> None:
    values = torch.randn(WORD.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    scores = only_scorable(by_word(values, BATCH).abs(), BATCH)
    for row in range(2):
        for word in range(int(WORD[row].max()) + 1):
            pieces = (WORD[row] == word).nonzero()[:, 0]
            torch.testing.assert_close(scores[row, pieces[0]], values[row, pieces].sum().abs())
            assert scores[row, pieces[1:]].isnan().all()
    assert int(scores.isfinite().sum()) == 5
    assert (scores.isfinite() == BATCH.scored).all()


def test_a_word_that_is_gone_takes_its_number_along() -> None:
    kept = BATCH.keeping(WORD != 1)
    assert kept.word is not None
    assert kept.word.tolist() == [[-1, 0, 0, 2, 2, 2, -1], [-1, 0, -1, -1, -1, -1, -1]]
    assert kept.scored.tolist()[0] == [False, True, False, True, False, False, False]


def test_what_is_explained_is_of_the_class_that_the_whole_text_was_given() -> None:
    whole = torch.tensor([[0.2, 1.0, -3.0], [2.0, 0.0, 0.0]])
    other = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(1))
    shown = Explained.of(whole)(other)
    expected = distribution(other)
    torch.testing.assert_close(shown, torch.stack([expected[0, :, 1], expected[1, :, 0]]))
    logits = Explained.of(whole, "logit")(other)
    torch.testing.assert_close(logits, torch.stack([other[0, :, 1], other[1, :, 0]]))


def test_of_two_classes_there_is_one_logit() -> None:
    whole = torch.tensor([[0.5], [-0.5]])
    other = torch.tensor([[2.0], [3.0]])
    expected = torch.tensor([2.0, -3.0])
    torch.testing.assert_close(Explained.of(whole, "logit")(other), expected)
    torch.testing.assert_close(Explained.of(whole)(other), expected.double().sigmoid())
