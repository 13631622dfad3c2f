"""Datasets of many small files: in the archive they came in, or unpacked beside it."""

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

from attex.data.folder import DataFolder, damage_named


def unpacked_or_archive(folder: DataFolder, archive: str, *patterns: str, publisher: str) -> list[Path]:
    """Find the files that were unpacked beside an archive or, failing that, the archive."""
    place = (folder.root / archive).parent
    unpacked = sorted(path for pattern in patterns for path in place.glob(pattern) if path.is_file())
    return unpacked or [folder.find(archive, publisher=publisher)]


def read_texts(
    files: list[Path], place: Path, wanted: Callable[[str], bool], encoding: str = "utf-8"
) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of an archive's wanted members, or of files unpacked under `place`."""
    if files[0].name.endswith(".tar.gz"):
        # As a stream: reading by name would decompress the archive once more for every member.
        with damage_named(files[0]), tarfile.open(files[0], "r|gz") as archive:
            for member in archive:
                if wanted(member.name) and (content := archive.extractfile(member)) is not None:
                    yield member.name, content.read().decode(encoding)
    else:
        for path in files:
            name = path.relative_to(place).as_posix()
            if wanted(name):
                with damage_named(path):
                    yield name, path.read_bytes().decode(encoding)
