"""A stage: files in, files out, and a key that says when it must run again."""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attex.foundations.progress import say
from attex.foundations.storage import digest, exclusive, read_json, write_json

_DONE = "stage.json"


@dataclass(frozen=True)
class Stage:
    """A pure step of an experiment.

    The key hashes (kind, version, settings, keys of the inputs): raise `version` when the code of
    a stage changes what it writes. `make` fills a folder, given the folders of the inputs; what it
    left there before a kill is still there when it is called again.
    """

    kind: str
    title: str
    version: int
    settings: dict[str, Any]
    inputs: tuple["Stage", ...]
    make: Callable[[Path, Sequence[Path]], None] = field(compare=False)

    @property
    def key(self) -> str:
        """The name of the stage's folder in the cache."""
        return digest([self.kind, self.version, self.settings, [i.key for i in self.inputs]])


class Cache:
    """Finished stages on disk: `<root>/<kind>/<key>`; a `.partial` folder is still in the making."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, stage: Stage) -> Path:
        """Where a stage's files are, or will be."""
        return self.root / stage.kind / stage.key

    def has(self, stage: Stage) -> bool:
        """Say whether a stage is finished."""
        return (self.folder(stage) / _DONE).exists()

    def obtain(self, stage: Stage) -> Path:
        """Return a finished stage's folder, making it and what it needs first."""
        folder = self.folder(stage)
        if self.has(stage):
            return folder
        inputs = [self.obtain(needed) for needed in stage.inputs]
        with exclusive(folder.with_name(f"{stage.key}.lock")):
            if not self.has(stage):
                self._make(stage, folder, inputs)
        return folder

    def seconds(self, stage: Stage) -> float:
        """How long a finished stage took."""
        return float(read_json(self.folder(stage) / _DONE)["seconds"])

    def _make(self, stage: Stage, folder: Path, inputs: Sequence[Path]) -> None:
        say(f"{stage.kind}: {stage.title}")
        partial = folder.with_name(f"{stage.key}.partial")
        partial.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        stage.make(partial, inputs)
        about = {"kind": stage.kind, "title": stage.title, "settings": stage.settings}
        about |= {"inputs": {needed.kind: needed.key for needed in stage.inputs}}
        write_json(partial / _DONE, about | {"seconds": round(time.monotonic() - started, 3)})
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
