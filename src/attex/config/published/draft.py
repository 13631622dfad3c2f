"""What a translation is made of: a draft of the experiment, and keys that each have a handler."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from attex.foundations.errors import brief

Found = TypeVar("Found")


@dataclass
class Draft:
    """An experiment while it is being translated, and what has to be said of it.

    `file` is what was read, `fields` the experiment so far. `said` are values that handlers of later
    keys, or the last step, need. `notes` are for the user to know; one `problem` is enough to refuse
    the file.
    """

    file: Mapping[str, Any]
    fields: dict[str, Any] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)

    def set(self, path: str, value: Any) -> None:
        """Set `trainer.epochs`, say."""
        *parents, last = path.split(".")
        inside = self.fields
        for part in parents:
            inside = inside.setdefault(part, {})
        inside[last] = value

    def note(self, path: str, value: Any, why: str) -> None:
        """Say what becomes of a key that has no counterpart, or not quite."""
        self.notes.append(_line(path, value, why))

    def absent(self, path: str, why: str) -> None:
        """Say what is taken for a key that is not there."""
        self.notes.append(f"{path} is not given: {why}")

    def problem(self, path: str, value: Any, why: str) -> None:
        """Say why the file cannot be run."""
        if path.split(".")[0] not in self.refused:
            self.problems.append(_line(path, value, why))

    def refuse(self, path: str, value: Any, why: str) -> None:
        """Say why the file cannot be run, and no more of the other keys of this section."""
        self.problem(path, value, why)
        self.refused.add(path.split(".")[0])


def _line(path: str, value: Any, why: str) -> str:
    return f"{path} = {brief(json.dumps(value, ensure_ascii=False), 120)}: {why}"


Handler = Callable[[Draft, str, Any], None]
"""Given the draft, the key's path as written, and its value."""


@dataclass(frozen=True)
class Key:
    """A key that is understood, and what becomes of it.

    `path` is dotted; a part `a|b` is either name, `*` any name or place. `becomes` says it for the
    docs, `take` does it. Keys are taken in the order of the table, not of the file.
    """

    path: str
    becomes: str
    take: Handler


def look_up(table: Mapping[str, Found], value: Any) -> Found | None:
    """Return what a table has for a name; a value that is no name has nothing in it."""
    return table.get(value) if isinstance(value, str) else None


def option(path: str, target: str) -> Key:
    """Pass the value on to an option of ours."""
    return Key(path, f"`{target}`", lambda draft, _, value: draft.set(target, value))


def told(path: str, why: str) -> Key:
    """Name the key, and say why it has no counterpart."""
    return Key(path, why, lambda draft, where, value: draft.note(where, value, why))


def as_it_is(path: str, *values: Any, otherwise: str) -> Key:
    """Accept values that say what attex does anyway; name the key if it has another."""

    def take(draft: Draft, where: str, value: Any) -> None:
        if value not in values:
            draft.note(where, value, otherwise)

    return Key(path, f"{_any(values)}; else: {otherwise}", take)


def required(path: str, *values: Any, otherwise: str) -> Key:
    """Accept values that say what attex does anyway; refuse a file that has another."""

    def take(draft: Draft, where: str, value: Any) -> None:
        if value not in values:
            draft.problem(where, value, otherwise)

    return Key(path, f"{_any(values)}; else refused: {otherwise}", take)


def _any(values: tuple[Any, ...]) -> str:
    return " or ".join(f"`{json.dumps(value)}`" for value in values)
