"""Explained texts as HTML: one for a notebook, several as a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attex.report.page import Page, environment


@dataclass(frozen=True)
class ScoredTokens:
    """Tokens, which of them are known, and by measure their scores, and shares of the highest."""

    tokens: Sequence[str]
    known: Sequence[bool]
    scores: Mapping[str, Sequence[float]]
    shares: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class ExplainedText:
    """What is shown of a text; `asked` is the query with its scores, where it is attended to."""

    run: str
    seed: int
    text: ScoredTokens
    prediction: str
    probabilities: Mapping[str, float]
    unknown_words: Sequence[str]
    query: Sequence[str] | None = None
    asked: ScoredTokens | None = None


def render_explanation(text: ExplainedText) -> str:
    """Render one text as a piece of HTML that brings its style with it, for a notebook."""
    return environment().get_template("explanation.html.j2").render(texts=[text])


def render_explanations(texts: Sequence[ExplainedText], config: Mapping[str, Any], attex: str) -> str:
    """Render a page of texts that one model explains; `attex` is the version."""
    title = f"{texts[0].run}, seed {texts[0].seed}" if texts else "No text"
    page = Page(title, [], config, {"attex": attex})
    # No chart is drawn, so that nothing is kept anywhere.
    return page.render("explanations.html.j2", Path(), texts=texts)
