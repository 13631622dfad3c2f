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
    """A text with one row of tokens for each measure, and what is asked of it, if anything is."""

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
    start, end = texts.starts[text : text + 2].tolist()
    words = corpus.tokens(ANALYSED, text)
    truth = [False] * len(words) if texts.truth is None else texts.truth[start:end].tolist()
    rows = {}
    for measure in evidence.titles:
        scores = seed.scores[measure][start:end].tolist()
        highest = max((score for score in scores if score == score), default=0.0) or 1.0
        rows[measure] = [
            Token(word, score, score / highest, decides)
            if score == score
            else Token(word, None, 0.0, decides)
            for word, score, decides in zip(words, scores, truth, strict=True)
        ]
    return Example(
        name=texts.names[text],
        label=corpus.classes[int(texts.labels[text])],
        predicted=corpus.classes[int(seed.predicted[text])],
        confidence=float(distribution(seed.logits[text]).max()),
        rows=rows,
        query=corpus.query_tokens(ANALYSED, text),
    )
