"""What of the known datasets is there."""

from collections.abc import Iterator

from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.data.vectors import about_lengths
from attex.foundations.errors import MissingData, UserError


def inventory(folder: DataFolder) -> Iterator[str]:
    """Describe each dataset that reads files of its own, then the vectors, a line each."""
    for entry in READERS:
        if any(field.is_required() for field in entry.options.model_fields.values()):
            yield f"  {entry.name:15} your own file: {entry.summary}"
            continue
        try:
            files = READERS.bind(READERS.spec(entry.name)).files(folder)
        except MissingData as missing:
            yield f"  {entry.name:15} missing: {missing}"
            continue
        size = sum(file.stat().st_size for file in files) / 2**20
        what = f"found, {len(files)} files, {size:.1f} MiB" if files else "built in, needs no files"
        yield f"  {entry.name:15} {what}"
    for path in sorted(path for path in (folder.root / "vectors").glob("*") if path.is_file()):
        size = f"{path.stat().st_size / 2**20:.1f} MiB"
        try:
            about = about_lengths(path)
        except UserError as trouble:
            about = f"cannot be read: {trouble}"
        yield f"  {'vectors':15} {path.relative_to(folder.root)}, {size}, {about}"
