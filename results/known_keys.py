"""List the keys of all models that the results rest on, so that another machine need not make them.

python -m results.known_keys made.csv
attex run experiments/studies/NAME.json --until findings --except made.csv

Tables grow model by model. What a study says of a cell rests on all of its models at once: those of a
cell that is not whole are not listed, as they have to be made together, unless they wait in a file.
"""

import argparse
import csv
import json
from collections.abc import Iterator
from pathlib import Path

from attex.runner.packing import packed_keys
from results.stored import Stored

PLACE = Path(__file__).parent
_CELLS = "cells"


def known_keys(folder: Path = PLACE) -> Iterator[tuple[str, str]]:
    """Yield, with the file that says so, the key of every model that needs no making."""
    for path in sorted(folder.glob("*/made_*.csv")):
        with path.open(encoding="utf-8", newline="") as table:
            for row in csv.DictReader(table):
                yield _name(path, folder), row["key"]
    for path in sorted(folder.glob("*/waiting*.tar.xz")):
        yield from ((_name(path, folder), key) for key in packed_keys(path))
    for path in sorted(folder.glob("*/*.json")):
        if isinstance(json.loads(path.read_text(encoding="utf-8")).get(_CELLS), list):
            for cell in Stored.read(path.parent, path.stem).cells:
                if cell.models >= cell.asked:
                    yield from ((_name(path, folder), key) for key in cell.keys.split())


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def main() -> None:
    """Write the list, and say how many models each file has."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("list", type=Path)
    path = parser.parse_args().list
    rows = [*known_keys()]
    with path.open("w", encoding="utf-8", newline="") as written:
        csv.writer(written, lineterminator="\n").writerows([("file", "key"), *rows])
    print(f"{path}: {len({key for _, key in rows}):,} models")


if __name__ == "__main__":
    main()
