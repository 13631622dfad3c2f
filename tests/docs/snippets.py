"""The fenced blocks of the docs, found for tests that run them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^(\s*)(`{3,})(\w*)[ \t]*(.*)$")
NOT_RUN = "no-run: "


@dataclass(frozen=True)
class Snippet:
    """A block of a page: where its text begins, its language, and why it is not run, if it is not."""

    page: str
    line: int
    language: str
    not_run: str
    text: str

    @property
    def where(self) -> str:
        """The place, as an editor opens it."""
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Name every page that has something to say, from the root of the repository."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("results/**/*.md")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found if path.name != "template.md")


def snippets(page: str) -> list[Snippet]:
    """Find the blocks of a page; one that does not end, or says something unknown, is an error."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    found = []
    begun: re.Match[str] | None = None
    first = 0
    for number, line in enumerate(lines, start=1):
        fence = FENCE.match(line)
        if begun is None and fence:
            begun, first = fence, number + 1
            assert not fence[4] or fence[4].startswith(NOT_RUN), (
                f"{page}:{number}: what is {fence[4]!r}?"
            )
        elif begun is not None and fence and fence[2] == begun[2] and not fence[3]:
            text = "".join(x.removeprefix(begun[1]) + "\n" for x in lines[first - 1 : number - 1])
            found.append(Snippet(page, first, begun[3], begun[4].removeprefix(NOT_RUN), text))
            begun = None
    assert begun is None, f"{page}:{first}: the block has no end"
    return found
