"""The numbers of models as one small file, which another machine can put into its cache."""

import io
import lzma
import re
import shutil
import tarfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from attex.foundations.errors import UserError
from attex.foundations.progress import track
from attex.foundations.storage import Damaged
from attex.runner.cache import DISCARDED, RECORD, Cache, record_text, verified
from attex.runner.stage import Made
from attex.runner.stages.numbers import NumbersStage

KIND = NumbersStage.kind
ENDING = ".xz"
"""How the name of such a file ends, after `.tar`."""
_MEMBER = re.compile(rf"{KIND}/([0-9a-f]{{20}})/([\w-][\w.-]*)")
_LARGEST = 64 * 2**20
"""Bytes that no file of a model's numbers comes near."""


class Unpacked(NamedTuple):
    """How many models of a file were put into the cache, and how many were there already."""

    new: int
    known: int


def pack(file: Path, cache: Cache, keys: Collection[str] | None = None) -> int:
    """Write the numbers of all models in a cache, or of those with these keys; return how many.

    The same models make the same file to the bit: it has no times of files, no names of users, and not
    the folder that the study lay in.
    """
    if file.suffix != ENDING:
        raise UserError(f"{file}: models are packed into a file whose name ends in .tar{ENDING}")
    if not file.parent.is_dir():
        raise UserError(f"{file}: there is no folder {file.parent}")
    there = sorted(path.parent.name for path in (cache.root / KIND).glob(f"*/{RECORD}"))
    wanted = [key for key in there if (keys is None or key in keys) and cache.has(Made(KIND, key))]
    if not wanted:
        raise UserError(f"{cache.root}: there is no finished model of a study to be packed")
    partial = file.with_name(f"{file.name}-{uuid4().hex[:8]}{DISCARDED}")
    try:
        with tarfile.open(partial, "w:xz", format=tarfile.USTAR_FORMAT) as archive:
            for key in track(wanted, "packing", len(wanted)):
                folder = cache.folder(Made(KIND, key))
                for path in sorted(path for path in folder.iterdir() if path.is_file()):
                    content = _anywhere(path) if path.name == RECORD else path.read_bytes()
                    member = tarfile.TarInfo(f"{KIND}/{key}/{path.name}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    return len(wanted)


def _anywhere(path: Path) -> bytes:
    """Return a record without the place of the experiment's file, which only a training asks for."""
    record = verified(path.parent)
    return record_text(replace(record, settings=record.settings | {"folder": None})).encode()


def unpack(file: Path, cache: Cache) -> Unpacked:
    """Put the models of a file into a cache; what is there and whole stays as it is.

    A model goes in only if its files are those that its record names, to the digest.
    """
    new = known = 0
    for key, files in _models(file):
        made = Made(KIND, key)
        if cache.has(made):
            known += 1
            continue
        aside = cache.folder(made).with_name(f"{key}-{uuid4().hex[:8]}{DISCARDED}")
        try:
            aside.mkdir(parents=True)
            for name, content in files.items():
                (aside / name).write_bytes(content)
            _check(file, key, aside)
            cache.discard(made)
            aside.rename(cache.folder(made))
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        new += 1
    return Unpacked(new, known)


def packed_keys(file: Path) -> list[str]:
    """Return the keys of the models in a file."""
    with _readable(file) as archive:
        return [*dict.fromkeys(_named(file, member)[0] for member in archive)]


def _models(file: Path) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the files of each model, which stand one after the other."""
    with _readable(file) as archive:
        present, files = "", dict[str, bytes]()
        members = archive.getmembers()
        for member in track(members, "unpacking", len(members)):
            key, name = _named(file, member)
            if key != present and files:
                yield present, files
                files = {}
            content = archive.extractfile(member)
            assert content is not None, "a regular file"
            present, files[name] = key, content.read()
        if files:
            yield present, files


@contextmanager
def _readable(file: Path) -> Iterator[tarfile.TarFile]:
    """Open a file of models for one pass; say in a line if it is none."""
    try:
        with tarfile.open(file, "r:xz") as archive:
            yield archive
    except FileNotFoundError:
        raise UserError(f"{file}: there is no such file") from None
    except (tarfile.TarError, lzma.LZMAError, EOFError, ValueError, OSError) as error:
        raise UserError(f"{file} is no file that `attex cache --pack` has written ({error})") from None


def _named(file: Path, member: tarfile.TarInfo) -> tuple[str, str]:
    """Return the key of a member's model, and the name of its file; refuse any other member."""
    match = _MEMBER.fullmatch(member.name)
    if match is None or not member.isreg() or member.size > _LARGEST:
        raise UserError(f"{file}: {member.name!r} is not of a model's numbers")
    return match[1], match[2]


def _check(file: Path, key: str, folder: Path) -> None:
    """Refuse a model whose files are not those that its record names."""
    try:
        record = verified(folder)
    except Damaged:
        raise UserError(f"{file}: model {key} is not what was packed") from None
    there = {path.name for path in folder.iterdir()} - {RECORD}
    if (record.kind, record.key) != (KIND, key) or there != record.files.keys():
        raise UserError(f"{file}: model {key} has the record of another one")
