"""Finished stages on disk, each with a record of what was written; what does not match is made again."""

import importlib.util
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import torch

import attex
from attex.foundations.ownership import claimed, is_abandoned
from attex.foundations.progress import say
from attex.foundations.storage import (
    PARTIAL,
    Damaged,
    digest,
    digest_file,
    json_text,
    read_json,
    write_text,
)
from attex.runner.stage import Made, Stage

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace

RECORD = "stage.json"
DISCARDED = ".discarded"
ABSENT = "it was not made yet"

_verified: dict[Path, tuple[int, int, str]] = {}
"""Size, time of change and digest of each file that this process has found to be as it was written."""


@dataclass(frozen=True)
class Record:
    """What a finished stage was made of, with what, and what it wrote.

    `inputs` names kind, key and content of each input; `files` has the digest of each file, `code`
    that of each module the result depends on.
    """

    kind: str
    title: str
    key: str
    version: int
    settings: dict[str, Any]
    inputs: dict[str, dict[str, str]]
    files: dict[str, str]
    code: dict[str, str]
    attex: str
    device: str
    threads: int
    seconds: float

    @property
    def content(self) -> str:
        """A digest of all that was written."""
        return digest(self.files)


class Cache:
    """`<root>/<kind>/<key>` is a finished stage; a `.partial` folder is still in the making."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._records: dict[Path, tuple[int, Record]] = {}

    def folder(self, stage: Stage | Made) -> Path:
        """Where a stage's files are, or will be."""
        return self.root / stage.kind / stage.key

    def has(self, stage: Stage | Made) -> bool:
        """Say whether a stage is finished, and its files are what was written."""
        return self.fault(stage) is None

    def fault(self, stage: Stage | Made) -> str | None:
        """Say what keeps a stage from being used: `ABSENT`, damage, or inputs that are others now."""
        folder = self.folder(stage)
        if not folder.is_dir():
            return ABSENT
        try:
            record = self.record(stage)
            for name, known in record.files.items():
                _verify(folder / name, known)
            for name, needed in record.inputs.items():
                made = Made(needed["kind"], needed["key"])
                if self.folder(made).is_dir() and self.record(made).content != needed["content"]:
                    return f"its input '{name}' was made anew and is another now"
        except Damaged as damage:
            return str(damage)
        return None

    def record(self, stage: Stage | Made) -> Record:
        """Return the record of a finished stage, or raise `Damaged`."""
        path = self.folder(stage) / RECORD
        try:
            changed = path.stat().st_mtime_ns
        except FileNotFoundError:
            raise Damaged(path, "it is gone") from None
        known = self._records.get(path)
        if known is None or known[0] != changed:
            known = changed, _read_record(path)
            self._records[path] = known
        return known[1]

    def written(self, stage: Stage | Made) -> int | None:
        """Say when a finished stage was written, in the system's nanoseconds; None if it is not."""
        try:
            return (self.folder(stage) / RECORD).stat().st_mtime_ns
        except OSError:
            return None

    def obtain(self, stage: Stage | Made, workspace: "Workspace") -> Path:
        """Return a finished stage's folder, making it and what it needs first."""
        if isinstance(stage, Stage):
            # Each once, though many need it: ways through a chain of maskings multiply at every step.
            for one in stage.and_before():
                inputs = {name: self._lies(needed) for name, needed in one.inputs.items()}
                if not self.has(one):
                    with claimed(self.folder(one).with_name(f"{one.key}.claim")):
                        self._make_missing(one, inputs, workspace)
            return self.folder(stage)
        return self._lies(stage)

    def _lies(self, stage: Stage | Made) -> Path:
        """Return the folder of what is there: of what somebody else makes, only if it is whole."""
        if not isinstance(stage, Stage) and (fault := self.fault(stage)):
            raise Damaged(self.folder(stage), fault)
        return self.folder(stage)

    def discard(self, stage: Stage | Made) -> None:
        """Forget a finished stage."""
        folder = self.folder(stage)
        if folder.exists():
            # Renamed first: nobody sees it half removed, and a kill leaves what a sweep removes.
            aside = folder.with_name(f"{stage.key}-{uuid4().hex[:8]}{DISCARDED}")
            folder.rename(aside)
            shutil.rmtree(aside, ignore_errors=True)

    def sweep(self) -> None:
        """Remove what killed processes were discarding, and their tasks for others."""
        letters = (path for path in self.root.glob(f"tasks/*{PARTIAL}") if is_abandoned(path))
        for left in (*self.root.glob(f"*/*{DISCARDED}"), *letters):
            shutil.rmtree(left, ignore_errors=True)

    def changed_code(self, stage: Stage) -> list[str]:
        """Name the modules whose code is not the one that made a finished stage."""
        made_with = self.record(stage).code
        return [m for m in stage.modules if m in made_with and _digest_module(m) != made_with[m]]

    def _make_missing(self, stage: Stage, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        fault = self.fault(stage)
        if fault is None:
            # Another process has made it while this one waited.
            return
        if fault != ABSENT:
            say(f"{stage.kind}: {stage.title}: {fault}; it is made again")
            self.discard(stage)
        say(f"{stage.kind}: {stage.title}")
        folder = self.folder(stage)
        partial = folder.with_name(f"{stage.key}{PARTIAL}")
        partial.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        stage.make(partial, inputs, workspace)
        for unfinished in partial.rglob(f"*{PARTIAL}"):
            unfinished.unlink()
        written = sorted(path for path in partial.rglob("*") if path.is_file())
        record = Record(
            kind=stage.kind,
            title=stage.title,
            key=stage.key,
            version=stage.version,
            settings=dict(stage.settings),
            inputs={name: self._named(needed) for name, needed in stage.inputs.items()},
            files={path.relative_to(partial).as_posix(): digest_file(path) for path in written},
            code={module: _digest_module(module) for module in stage.modules},
            attex=attex.__version__,
            device=str(workspace.device),
            threads=torch.get_num_threads(),
            seconds=round(time.monotonic() - started, 3),
        )
        write_text(partial / RECORD, record_text(record))
        partial.rename(folder)

    def _named(self, needed: Stage | Made) -> dict[str, str]:
        content = self.record(needed).content
        return {"kind": needed.kind, "key": needed.key, "content": content}


class ScratchCache(Cache):
    """A cache for a while: it takes what another one has, and keeps what it makes itself."""

    def __init__(self, root: Path, lender: Cache) -> None:
        super().__init__(root)
        self._lender = lender
        self._lent: dict[str, bool] = {}

    def folder(self, stage: Stage | Made) -> Path:
        """Where a stage's files are: lent, if they were there when first asked for."""
        if stage.key not in self._lent:
            self._lent[stage.key] = self._lender.has(stage)
        return self._lender.folder(stage) if self._lent[stage.key] else super().folder(stage)


def verified(folder: Path) -> Record:
    """Return the record of a finished stage, wherever it lies; raise `Damaged` unless all is whole."""
    record = _read_record(folder / RECORD)
    for name, known in record.files.items():
        _verify(folder / name, known)
    return record


def record_text(record: Record) -> str:
    """Return a record as it stands on disk, with a digest of its own."""
    fields = asdict(record)
    return json_text(fields | {"digest": digest(fields)})


def _read_record(path: Path) -> Record:
    fields = read_json(path)
    if not isinstance(fields, dict) or fields.pop("digest", None) != digest(fields):
        raise Damaged(path, "it is not what was written")
    return Record(**fields)


def _verify(path: Path, known: str) -> None:
    """Raise `Damaged` unless a file is as it was written; each is read once by a process."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise Damaged(path, "it is gone") from None
    now = found.st_size, found.st_mtime_ns, known
    if _verified.get(path) != now:
        if digest_file(path) != known:
            raise Damaged(path, "it is not what was written")
        _verified[path] = now


@cache
def _digest_module(name: str) -> str:
    spec = importlib.util.find_spec(name)
    return digest_file(Path(spec.origin)) if spec and spec.origin else ""
