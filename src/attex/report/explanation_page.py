"""Explained texts as HTML: a piece for a notebook, and a page."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from attex.report.page import environment

if TYPE_CHECKING:
    from collections.abc import Iterator


class Explained(Protocol):
    """What is shown of a text; `attex.explanation.Explanation` is this."""

    @property
    def run(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def tokens(self) -> Sequence[str]: ...
    @property
    def known(self) -> Sequence[bool]: ...
    @property
    def scores(self) -> Mapping[str, Sequence[float]]: ...
    @property
    def prediction(self) -> str: ...
    @property
    def probabilities(self) -> Mapping[str, float]: ...
    @property
    def unknown_words(self) -> Sequence[str]: ...
    def shares(self, measure: str) -> Sequence[float]: ...


def render_explanation(explanation: Explained) -> str:
    """Render a text on its own: a piece of HTML that brings its style with it."""
    return environment().get_template("explanation.html.j2").render(text=explanation)
