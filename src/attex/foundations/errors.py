"""Errors that are the user's to mend: shown as one line, never as a traceback."""

from collections.abc import Collection


class UserError(Exception):
    """Something in the input is wrong; the message says where and what was meant."""


class MissingData(UserError):
    """A raw file is not where it should be; the message says where its publisher has it."""


def brief(value: object, letters: int = 200) -> str:
    """Return a user's text as part of a message: on one line, printable anywhere, not for pages."""
    text = str(value)
    if len(text) > letters:
        text = f"{text[:letters]}…"
    # One by one: a lone half of a surrogate pair, or a line break, is shown by its escape.
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def listed(names: Collection[object], most: int = 10, quote: str = "") -> str:
    """Join a user's names for a message: the first few of them, and how many more there are."""
    first = [f"{quote}{brief(name, 60)}{quote}" for name, _ in zip(names, range(most), strict=False)]
    more = len(names) - len(first)
    return ", ".join(first) + (f", … and {more:,} more" if more else "")
