"""Where raw files lie, and how to open them plain or compressed."""

import contextlib
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TextIO, cast

from attex.foundations.errors import MissingData, UserError, brief
from attex.foundations.json_text import is_unicode

# Spreadsheets write a byte-order mark, which would become part of the first column's name.
_ENCODING = "utf-8-sig"

_DAMAGE = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
)


@dataclass(frozen=True)
class DataFolder:
    """The folder of raw datasets: `--data-dir`, else `ATTEX_DATA`, else `data`.

    `beside` is the folder of the experiment file, where there is one: a user's own files may lie there.
    """

    root: Path
    beside: Path | None = None

    @classmethod
    def at(cls, path: str | Path | None = None) -> "DataFolder":
        """Take the given folder, or the one the environment names."""
        root = str(path or os.environ.get("ATTEX_DATA") or "data")
        if not is_unicode(root):
            # A run writes down where its files came from, and could not write this.
            raise UserError(f"the data folder's name is not UTF-8: {brief(root)}")
        return cls(Path(root))

    def find(self, *names: str, publisher: str) -> Path:
        """Return the first of `names` that exists, plain or with `.gz`, or say where to get it."""
        for name in names:
            for path in (self.root / name, self.root / f"{name}.gz"):
                if _is_file(path):
                    return path
        raise MissingData(
            f"{self.root / names[0]} is missing (or with .gz): get it from {publisher}, put it "
            "there, or name its folder with --data-dir or ATTEX_DATA"
        )

    def own_file(self, name: str, publisher: str = "") -> Path:
        """Return a user's own file: absolute, or in one of the `places` for them."""
        for place in self.places():
            if _is_file(place / name):
                return place / name
        source = f"get it from {publisher} and " if publisher else ""
        shown = brief(name) or repr(name)
        if Path(name).is_absolute():
            raise MissingData(f"{shown} is missing: {source}put it there, or name another place")
        first, *others = [str(place.absolute()) for place in self.places()]
        others = [place for place in dict.fromkeys(others) if place != first]
        where = " or ".join([str(self.root), *others])
        raise MissingData(
            f"{shown} is missing: {source}put it into {where}, "
            "or name its folder with --data-dir or ATTEX_DATA"
        )

    def places(self) -> tuple[Path, ...]:
        """Return where a user's own files are looked for, the first place first.

        These are the data folder, where attex was started, and beside the experiment file.
        """
        return (self.root, Path(), *([] if self.beside is None else [self.beside]))


def _is_file(path: Path) -> bool:
    try:
        found = path.is_file()
    except (OSError, ValueError):
        # A name that no file can have: too long, or with a null character.
        return False
    if found and not os.access(path, os.R_OK):
        raise UserError(f"{path} is there, but may not be read: permission denied")
    return found


@contextlib.contextmanager
def open_text(path: Path, encoding: str = _ENCODING, errors: str = "strict") -> Iterator[TextIO]:
    """Open a text file that is plain, gzip-compressed or the only file of a zip archive."""
    with open_bytes(path) as file, io.TextIOWrapper(file, encoding=encoding, errors=errors) as text:
        yield text


@contextlib.contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open the same kinds of file for what is in them before it is text."""
    with damage_named(path), contextlib.ExitStack() as stack:
        if path.suffix == ".gz":
            # A file of bytes in all but its declared type.
            yield cast(IO[bytes], stack.enter_context(gzip.open(path, "rb")))
        elif path.suffix == ".zip":
            yield stack.enter_context(_only_member(stack.enter_context(zipfile.ZipFile(path)), path))
        else:
            yield stack.enter_context(path.open("rb"))


def _only_member(archive: zipfile.ZipFile, path: Path) -> IO[bytes]:
    names = [name for name in archive.namelist() if not name.endswith("/")]
    if len(names) != 1:
        raise UserError(f"{path} holds {len(names)} files; expected one text file")
    try:
        return archive.open(names[0])
    except RuntimeError as error:
        # An encrypted archive or, by an error of a narrower kind, one packed in a way unknown to Python.
        raise UserError(f"{path} cannot be unpacked: {brief(error)}") from error


@contextlib.contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Say which file is truncated, damaged or not text, instead of how its decoder failed."""
    try:
        yield
    except _DAMAGE as error:
        raise UserError(f"{path} is truncated or damaged: {brief(error)}") from error
    except OSError as error:
        # bz2's way to say so; what the system itself reports has a number.
        if error.errno is not None:
            raise
        raise UserError(f"{path} is truncated or damaged: {brief(error)}") from error
    except UnicodeError as error:
        encoding = error.encoding.upper() if isinstance(error, UnicodeDecodeError) else "such"
        reason = error.reason if isinstance(error, UnicodeDecodeError) else brief(error)
        raise UserError(f"{path} is not {encoding} text: {reason}") from error
