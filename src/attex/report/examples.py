"""Some texts to look at, each measure as a heat map."""

from dataclasses import dataclass

from attex.analyses.analysis import ANALYSED, Evidence, SeedEvidence
from attex.foundations.divergences import distribution

_RIGHT, _WRONG = 6, 2
_LONGEST = 80


@dataclass(frozen=True)
class Token:
    """A word, its score as a share of the text's highest, and whether it is known to decide."""

    word: str
    score: float | None
    share: float
    decides: bool


@dataclass(frozen=True)
class Example:
    """A text with one row of tokens for each measure, and what is asked of it, if anything is.

    The query has rows of its own where attention rests on it, too.
    """

    name: str
    label: str
    predicted: str
    confidence: float
    rows: dict[str, list[Token]]
    query: list[str] | None = None


def choose_examples(evidence: Evidence) -> list[Example]:
    """Take evenly spaced texts of ordinary length, most of them predicted right."""
    if not evidence.measures:
        return []
    texts, seed = evidence.texts, evidence.seeds[0]
    short = [i for i, n in enumerate(texts.lengths.tolist()) if n <= _LONGEST]
    right = seed.predicted == texts.labels.numpy()
    chosen = _spaced([i for i in short if right[i]], _RIGHT)
    chosen += _spaced([i for i in short if not right[i]], _WRONG)
    return [_example(evidence, seed, i) for i in chosen]


def _spaced(items: list[int], count: int) -> list[int]:
    return [items[i * len(items) // count] for i in range(min(count, len(items)))]


def _example(evidence: Evidence, seed: SeedEvidence, text: int) -> Example:
    texts, corpus = evidence.texts, evidence.corpus
    place = slice(*texts.starts[text : text + 2].tolist())
    words, query = corpus.tokens(ANALYSED, text), corpus.query_tokens(ANALYSED, text)
    truth = [False] * len(words) if texts.truth is None else texts.truth[place].tolist()
    rows = {m: _tokens(words, seed.scores[m][place].tolist(), truth) for m in evidence.titles}
    if query is not None and texts.query_starts is not None:
        asked = slice(*texts.query_starts[text : text + 2].tolist())
        for measure, scores in seed.query_scores.items():
            rows[f"{measure} (query)"] = _tokens(query, scores[asked].tolist(), [False] * len(query))
    return Example(
        name=texts.names[text],
        label=corpus.classes[int(texts.labels[text])],
        predicted=corpus.classes[int(seed.predicted[text])],
        confidence=float(distribution(seed.logits[text]).max()),
        rows=rows,
        query=query,
    )


def _tokens(words: list[str], scores: list[float], truth: list[bool]) -> list[Token]:
    highest = max((score for score in scores if score == score), default=0.0) or 1.0
    return [
        Token(word, score, score / highest, decides)
        if score == score
        else Token(word, None, 0.0, decides)
        for word, score, decides in zip(words, scores, truth, strict=True)
    ]
