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
from typing import IO, TextIO

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
    """The folder of raw datasets: `--data-dir`, else `ATTEX_DATA`, else `data`."""

    root: Path

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
        """Return a user's own file: absolute, in the data folder, or from where attex was started."""
        for path in (self.root / name, Path(name)):
            if _is_file(path):
                return path
        source = f"get it from {publisher} and " if publisher else ""
        raise MissingData(
            f"{brief(name) or repr(name)} is missing: {source}put it into {self.root} or {Path.cwd()}, "
            "or name its folder with --data-dir or ATTEX_DATA"
        )


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
def open_text(path: Path) -> Iterator[TextIO]:
    """Open a text file that is plain, gzip-compressed or the only file of a zip archive."""
    with damage_named(path), contextlib.ExitStack() as stack:
        if path.suffix == ".gz":
            yield stack.enter_context(gzip.open(path, "rt", encoding=_ENCODING))
        elif path.suffix == ".zip":
            member = stack.enter_context(_only_member(stack.enter_context(zipfile.ZipFile(path)), path))
            yield stack.enter_context(io.TextIOWrapper(member, encoding=_ENCODING))
        else:
            yield stack.enter_context(path.open(encoding=_ENCODING))


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
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text: {error.reason}") from error
