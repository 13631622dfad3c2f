"""Where the keys of a table are in a file, and what of the file no key speaks of."""

from collections.abc import Iterator, Sequence
from typing import Any

from attex.config.published.draft import Key

Path = tuple[str | int, ...]


def occurrences(node: Any, pattern: str) -> Iterator[tuple[Path, Any]]:
    """Yield each place of a file that a key's path leads to, with the value there."""
    yield from _follow(node, pattern.split("."), ())


def _follow(node: Any, parts: Sequence[str], path: Path) -> Iterator[tuple[Path, Any]]:
    if not parts:
        yield path, node
    elif isinstance(node, str) and parts == ["type"]:
        # AllenNLP takes a name for an object with that type.
        yield path, node
    elif isinstance(node, dict | list):
        for name, inner in _items(node):
            if _is_named(parts[0], name):
                yield from _follow(inner, parts[1:], (*path, name))


def unspoken(node: Any, keys: Sequence[Key], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield what no key of the table speaks of, each as far up as nothing below it is spoken of."""
    parts = [key.path.split(".") for key in keys]
    if path and any(_leads(each, path) and len(each) == len(path) for each in parts):
        return
    below = [each for each in parts if len(each) > len(path) and _leads(each, path)]
    if not below:
        yield path, node
    elif isinstance(node, dict | list):
        for name, inner in _items(node):
            yield from unspoken(inner, keys, (*path, name))
    elif node is not None and not (isinstance(node, str) and _has_type(below, len(path))):
        yield path, node


def _items(node: dict[str, Any] | list[Any]) -> Iterator[tuple[str | int, Any]]:
    yield from node.items() if isinstance(node, dict) else enumerate(node)


def _leads(parts: Sequence[str], path: Path) -> bool:
    """Whether a key's path begins with a place in the file."""
    return all(_is_named(part, name) for part, name in zip(parts, path, strict=False))


def _is_named(part: str, name: str | int) -> bool:
    return part == "*" or name in part.split("|")


def _has_type(below: Sequence[Sequence[str]], depth: int) -> bool:
    return any(list(parts[depth:]) == ["type"] for parts in below)
