"""The program that draws a page's charts, which the page carries with it."""

import functools
import re
from importlib.metadata import version
from pathlib import Path

from attex.foundations.ownership import claimed
from attex.foundations.storage import Damaged, digest, read_json, write_json

_BEGINS = "window.vegaEmbed = vegaEmbed;"


@functools.cache
def charts_code(kept_in: Path) -> str:
    """Return the program; it takes two seconds to put together, so a folder keeps it for next time."""
    path = kept_in / f"charts-{digest([version('vl-convert-python'), _BEGINS])}.json"
    code = _kept(path)
    if code is None:
        code = _made()
        with claimed(path.with_suffix(".claim")):
            write_json(path, {"code": code, "digest": digest(code)})
    return code


@functools.cache
def _made() -> str:
    """Put the program together: once in a process, however many folders keep it."""
    import vl_convert

    made: str = vl_convert.javascript_bundle(_BEGINS)
    # In code, unlike in JSON, only the closing tag itself must not stand.
    return re.sub(r"</(script)", r"<\\/\1", made, flags=re.IGNORECASE)


def _kept(path: Path) -> str | None:
    """Read the program, if it is there and is what was written."""
    try:
        fields = read_json(path)
    except Damaged:
        return None
    code = fields.get("code") if isinstance(fields, dict) else None
    return code if isinstance(code, str) and fields.get("digest") == digest(code) else None
