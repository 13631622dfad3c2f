"""Models of a cell that is not whole wait in a file beside the page: nobody has to make them again.

The next call takes them from there, on whatever machine, and `results.known_keys` lists them.
"""

from collections.abc import Collection
from pathlib import Path

from attex.runner.cache import Cache
from attex.runner.packing import pack, packed_keys, unpack


def waiting_file(folder: Path, name: str) -> Path:
    """Where models of a study wait for the others."""
    return folder / f"waiting_{name}.tar.xz"


def take_in(file: Path, cache: Cache) -> None:
    """Put what waits into the cache, if there is anything."""
    if file.exists():
        unpack(file, cache)


def leave(file: Path, cache: Cache, keys: Collection[str]) -> None:
    """Let the models with these keys wait; if there is none, none waits any more."""
    if keys:
        pack(file, cache, keys)
    else:
        file.unlink(missing_ok=True)


def count(file: Path) -> int:
    """Return how many models wait."""
    return len(packed_keys(file)) if file.exists() else 0
