"""A folder to start from: experiments to change, what they build on, and a small csv file."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from attex.config import shipped
from attex.data.folder import DataFolder
from attex.data.readers.planted import Planted
from attex.foundations.storage import write_text

_TEXTS = Planted(task="keyword", sizes=(420, 60, 120), seed=0)
"""What the csv file has in it, until the user's own texts take its place."""


def start(folder: Path) -> Iterator[str]:
    """Fill `folder/experiments`; yields a line for each file. What is there already stays as it is."""
    source, target = shipped.folder(), folder / "experiments"
    files = {path.relative_to(source): path for path in sorted(source.glob("lib/*.libsonnet"))}
    files |= {Path("demo.jsonnet"): source / "demo.jsonnet"}
    files |= {Path("own_texts.jsonnet"): source / "csv" / "own_texts.jsonnet"}
    contents = {target / name: path.read_text(encoding="utf-8") for name, path in files.items()}
    for path, content in (contents | {target / "texts.csv": _table()}).items():
        if path.exists():
            yield f"kept     {path}: it was there before"
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, content)
            yield f"written  {path}"


def _table() -> str:
    """Write generated texts as the csv file that `own_texts.jsonnet` describes."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(("text", "label", "evidence"))
    for document in _TEXTS.documents(DataFolder.at()):
        assert document.truth is not None
        marks = " ".join("1" if decides else "0" for decides in document.truth)
        writer.writerow((" ".join(document.tokens), document.label, marks))
    return table.getvalue()
