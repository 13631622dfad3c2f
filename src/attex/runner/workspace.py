"""Where an experiment finds its raw files, keeps its stages, and computes."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from attex.data.folder import DataFolder
from attex.foundations.devices import choose_device, named_device
from attex.foundations.storage import digest_file
from attex.runner.cache import Cache, ScratchCache
from attex.runner.raw_files import RawFiles


@dataclass(frozen=True)
class Workspace:
    """The data folder, the folder that runs and their cache go to, and the device."""

    data: DataFolder
    output: Path
    device: torch.device
    asked_device: str | None = None
    """What other machines are told, where the device is theirs: `auto` is for each to see."""

    @classmethod
    def at(
        cls,
        data: str | Path | None = None,
        output: str | Path = "outputs",
        device: str = "auto",
        *,
        elsewhere: bool = False,
    ) -> "Workspace":
        """Take what a user says, with the usual places for what is not said.

        Where work is done `elsewhere`, the device need not be one of this machine.
        """
        if elsewhere:
            return cls(DataFolder.at(data), Path(output), named_device(device), device)
        return cls(DataFolder.at(data), Path(output), choose_device(device))

    @cached_property
    def cache(self) -> Cache:
        """The finished stages."""
        return Cache(self.output / ".cache" / "2")

    @cached_property
    def _raw_files(self) -> RawFiles:
        return RawFiles(self.cache.root / "raw_files.jsonl")

    def within(self, folder: Path) -> "Workspace":
        """Return a workspace that keeps what it makes in a folder, and finds what this one has."""
        inner = replace(self, output=folder)
        vars(inner)["cache"] = ScratchCache(folder, self.cache)
        vars(inner)["_raw_files"] = self._raw_files
        return inner

    def digest_raw(self, path: Path) -> str:
        """Hash a raw file, once for as long as it is not changed."""
        return self._raw_files.digest(path) if path.is_file() else digest_file(path)

    def write_down_digests(self) -> None:
        """Remember the hashes of raw files for the next run."""
        self._raw_files.write_down()

    def to_json(self) -> dict[str, Any]:
        """Say it in words that another process, started elsewhere, understands."""
        return {
            "data": str(self.data.root.absolute()),
            "output": str(self.output.absolute()),
            "device": self.asked_device or str(self.device),
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Workspace":
        """Read what `to_json` said."""
        return cls.at(fields["data"], fields["output"], fields["device"])
