"""The tree of pages that the site is built from: the docs, and what else belongs with them.

Pages stay where a reader of the repository looks for them, and are copied with their links rewritten.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
NAMED = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
FENCE = re.compile(r"^(\s*)(`{3,})(\w*)[ \t]*(.*)$")
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]*)(#[^)\s]*)?(?=[)\s])")
NOT_RUN = "no-run: "


def pages() -> dict[str, str]:
    """Return the place on the site of every page, by its place in the repository."""
    places = dict(NAMED)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        places[_posix(path)] = path.relative_to(ROOT / "docs").as_posix()
    for path in sorted((ROOT / "results").rglob("*.md")):
        if path.name == "README.md":
            places[_posix(path)] = f"{_posix(path.parent)}/index.md"
        elif path.name != "template.md":
            places[_posix(path)] = _posix(path)
    return places


def build_tree(target: Path) -> None:
    """Write the tree into a folder, which is emptied first."""
    shutil.rmtree(target, ignore_errors=True)
    places = pages()
    for source, place in places.items():
        page = target / place
        page.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / source).read_text(encoding="utf-8")
        page.write_text("".join(_rewritten(text, source, places, target)), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "assets", target / "assets", dirs_exist_ok=True)


def _rewritten(text: str, source: str, places: dict[str, str], target: Path) -> Iterator[str]:
    """Yield the lines of a page: links lead to pages of the site, fences say what is not run."""

    def link(match: re.Match[str]) -> str:
        return _link(match[1], source, places, target) + (match[2] or "")

    inside = ""
    for line in text.splitlines(keepends=True):
        fence = FENCE.match(line.rstrip("\n"))
        if fence and not inside:
            inside = fence[2]
            yield f"{fence[1]}{fence[2]}{fence[3]}{_title(fence[4])}\n"
        elif fence and fence[2] == inside:
            inside = ""
            yield line
        else:
            yield line if inside else _outside_code(_bars(line), link)


def _bars(line: str) -> str:
    """Take the backslash from bars in `code` in a table, which the site's Markdown would show."""
    if not line.startswith("|"):
        return line
    return re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), line)


def _outside_code(line: str, link: Callable[[re.Match[str]], str]) -> str:
    """Rewrite links, except in `code`."""
    pieces = re.split(r"(`[^`]*`)", line)
    if any("](" in piece for piece in pieces[1::2]):
        return "".join(p if i % 2 else LINK.sub(link, p) for i, p in enumerate(pieces))
    return LINK.sub(link, line)


def _title(words: str) -> str:
    """Turn what stands behind the language of a block into what the site shows above it."""
    if not words.startswith(NOT_RUN):
        return ""
    return f' title="not run by the tests: {words.removeprefix(NOT_RUN)}"'


def _link(to: str, source: str, places: dict[str, str], target: Path) -> str:
    """Return a link of a page as it is on the site, and bring along a file that is no page."""
    wanted = (ROOT / source).parent.joinpath(to).resolve()
    if not wanted.is_file() or not wanted.is_relative_to(ROOT):
        raise SystemExit(f"{source}: there is no {to}")
    here = PurePosixPath(places[source]).parent
    there = places.get(_posix(wanted))
    if there is None:
        there = _posix(wanted).removeprefix("docs/")
        (target / there).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(wanted, target / there)
    return PurePosixPath(os.path.relpath(there, here)).as_posix()


def _posix(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
