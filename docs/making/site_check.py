"""Check a built site: links, anchors and images lead somewhere, and nothing comes from a network."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
    "link": "href",
}
"""The attribute of an element that makes a browser load something."""

IN_STYLES = re.compile(r"(?:@import\s+|url\()\s*[\"']?(?:https?:)?//", re.I)


class Page(HTMLParser):
    """What a page offers to link to, and what it leads to or loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.unnamed: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        has = {name: value or "" for name, value in attrs}
        self.anchors |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        if tag in LOADED and LOADED[tag] in has and has.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.append(has[LOADED[tag]])
        if tag == "img" and not has.get("alt"):
            self.unnamed.append(has.get("src", ""))


def problems(site: Path) -> list[str]:
    """Return a line for each thing that is wrong with a site."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name}: leads nowhere: {to}" for to in page.links if not _leads(to, path, pages)]
        for to in page.loaded:
            if _is_outside(to):
                found.append(f"{name}: comes from a network: {to}")
            elif not _leads(to, path, pages):
                found.append(f"{name}: is not there: {to}")
        found += [f"{name}: an image without words for it: {to}" for to in page.unnamed]
    for path in sorted(site.rglob("*.css")):
        if IN_STYLES.search(path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(site)}: a style comes from a network")
    return found + _not_searched(site, pages)


def _leads(to: str, page: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(to)
    if parts.scheme or parts.netloc:
        return True
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    target = target / "index.html" if target.is_dir() else target
    if page.name == "404.html":
        # It is shown under any address, and its links start at the site's root.
        return True
    fragment = unquote(parts.fragment)
    return target.is_file() and (
        not fragment or target not in pages or fragment in pages[target].anchors
    )


def _is_outside(to: str) -> bool:
    parts = urlsplit(to)
    return bool(parts.netloc) or parts.scheme in ("http", "https")


def _not_searched(site: Path, pages: dict[Path, Page]) -> list[str]:
    """Find pages that the search does not know."""
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    known = {item["location"].partition("#")[0] or "index.html" for item in index["items"]}
    names = (path.relative_to(site).as_posix() for path in pages if path.name != "404.html")
    return [f"{name}: is not in the index of the search" for name in names if name not in known]
