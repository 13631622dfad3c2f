"""JSON that people wrote: what cannot be read is said in words, whatever is wrong with it."""

import json
from typing import Any

_LONGEST_INTEGER = 4_000


class NotJSON(ValueError):
    """The text is not JSON, or none that can be taken; `place` is its line and column, where known."""

    def __init__(self, reason: str, place: tuple[int, int] | None = None) -> None:
        super().__init__(reason)
        self.place = place


def parse_json(text: str) -> Any:
    """Parse JSON, or raise `NotJSON`."""
    try:
        return json.loads(text, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise NotJSON(error.msg, (error.lineno, error.colno)) from None
    except RecursionError:
        raise NotJSON("nested too deeply") from None


def is_unicode(text: str) -> bool:
    """Say whether a text can be written down: half of a surrogate pair, as JSON has, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _integer(digits: str) -> int:
    # Python refuses to convert very long ones, in words that are about Python.
    if len(digits) > _LONGEST_INTEGER:
        raise NotJSON(f"an integer of {len(digits):,} digits")
    return int(digits)
