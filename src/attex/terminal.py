"""Explained texts in a terminal: tokens in colour, and the numbers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attex.report.page import written

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from attex.explanation import Explanation
    from attex.report.explanation_page import ExplainedText, ScoredTokens

_PALE, _DEEP = (228, 232, 248), (59, 76, 192)
_LEAST = 0.05
"""A smaller share of the highest score has no colour."""
_DARK = 0.7
"""On a darker ground letters are white."""

_STANDARD = "standard"
_FEW = ((2 / 3, "bold white on blue"), (1 / 3, "black on cyan"), (0.0, "underline"))
"""What a terminal of eight colours shows instead, by the least share."""

_UNKNOWN = "unknown"


def print_explanation(explanation: "Explanation", console: "Console") -> None:
    """Print a text: prediction, words that the model does not know, tokens by measure, numbers.

    Without colours, as the environment's NO_COLOR asks for, or in a pipe, the numbers are all there is.
    """
    colours = None if console.no_color else console.color_system
    for line in _lines(explanation.shown(), colours):
        console.print(line, soft_wrap=True)


def _lines(explanation: "ExplainedText", colours: str | None) -> "Iterator[Text]":
    from rich.text import Text

    others = ", ".join(
        f"{_shown(name)} {share:.3f}"
        for name, share in explanation.probabilities.items()
        if name != explanation.prediction
    )
    sure = explanation.probabilities[explanation.prediction]
    where = f"{_shown(explanation.run)}, seed {explanation.seed}"
    yield Text(f"{where}: {_shown(explanation.prediction)} {sure:.3f} ({others})")
    if explanation.query is not None:
        yield Text(f"asked: {' '.join(map(_shown, explanation.query))}")
    if explanation.unknown_words:
        words = "  ".join(f"'{_shown(word)}'" for word in explanation.unknown_words)
        yield Text(f"not in the model's vocabulary: {words}")
    if explanation.asked is not None:
        yield Text("\nof what is asked:")
        yield from _scored(explanation.asked, colours)
        yield Text("\nof the text:")
    else:
        yield Text()
    yield from _scored(explanation.text, colours)


def _scored(scored: "ScoredTokens", colours: str | None) -> "Iterator[Text]":
    """Print the tokens in the colours of each measure, and the numbers."""
    from rich.text import Text

    if colours:
        width = max(map(len, scored.scores), default=0)
        for measure in scored.scores:
            yield Text(f"{measure:{width}}  ") + _in_colour(scored, measure, colours == _STANDARD)
        yield Text()
    yield from map(Text, _table(scored))


def _in_colour(scored: "ScoredTokens", measure: str, few: bool) -> "Text":
    from rich.text import Text

    line = Text()
    for token, share in zip(scored.tokens, scored.shares[measure], strict=True):
        line.append(f" {_shown(token)} ", _style(share, few) if share >= _LEAST else "")
    return line


def _style(share: float, few: bool) -> str:
    """Name the colours of a share: the higher, the deeper the ground."""
    if few:
        return next(style for least, style in _FEW if share >= least)
    ground = (round(p + (d - p) * share) for p, d in zip(_PALE, _DEEP, strict=True))
    letters = "rgb(255,255,255)" if share > _DARK else "black"
    return f"{letters} on rgb({','.join(map(str, ground))})"


def _table(scored: "ScoredTokens") -> Iterator[str]:
    """Write a row for each token and a column for each measure."""
    from rich.cells import cell_len

    tokens = [_shown(token) for token in scored.tokens]
    columns = [[measure, *map(written, scores)] for measure, scores in scored.scores.items()]
    if not all(scored.known):
        columns.append(["", *("" if known else _UNKNOWN for known in scored.known)])
    wide = max(map(cell_len, tokens))
    widths = [max(map(len, column)) for column in columns]
    for number, token in enumerate(["", *tokens]):
        cells = (f"{column[number]:>{width}}" for column, width in zip(columns, widths, strict=True))
        yield f"{token}{' ' * (wide - cell_len(token))}  {'  '.join(cells)}".rstrip()


def _shown(word: str) -> str:
    """Keep what would move the cursor or change colours from doing so."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in word)
