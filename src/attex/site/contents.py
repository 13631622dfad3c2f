"""What an output folder holds, told apart: runs, comparisons of runs, and studies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attex.foundations.storage import Damaged, read_json
from attex.run_list import ListedRun, finished_runs
from attex.studies.comparing import COMPARE
from attex.studies.folder import ANSWER


@dataclass(frozen=True)
class SiteRun:
    """A run: what the list of runs says of it, and its settings."""

    listed: ListedRun
    config: Mapping[str, Any]


@dataclass(frozen=True)
class SiteStudy:
    """A study, or a comparison of runs: its answer in sentences, and how it came about."""

    listed: ListedRun
    config: Mapping[str, Any]
    manifest: Mapping[str, Any]
    lead: Sequence[str]
    facts: Sequence[str]


@dataclass(frozen=True)
class Contents:
    """Everything that was found, newest first; `unreadable` has folders with the reason."""

    runs: list[SiteRun] = field(default_factory=list)
    comparisons: list[SiteStudy] = field(default_factory=list)
    studies: list[SiteStudy] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)

    def newest(self) -> dict[str, Path]:
        """Return the newest run of every experiment."""
        return {run.listed.experiment: run.listed.path for run in reversed(self.runs)}


def contents_of(output: Path) -> Contents:
    """Read an output folder; a folder that cannot be read is named, and the others are there."""
    contents = Contents()
    for listed in finished_runs(output):
        try:
            _add(listed, contents)
        except (Damaged, OSError, LookupError, TypeError, AttributeError) as trouble:
            contents.unreadable[str(listed.path)] = listed.trouble or str(trouble)
    return contents


def _add(listed: ListedRun, contents: Contents) -> None:
    config, manifest = (dict(read_json(listed.path / f"{name}.json")) for name in ("config", "manifest"))
    if "study" not in manifest:
        # What a page shows of the settings needs these.
        assert_keys(config, "data", "model", "seeds")
        contents.runs.append(SiteRun(listed, config))
        return
    answer = read_json(listed.path / ANSWER)
    study = SiteStudy(listed, config, manifest, answer["lead"], answer["facts"])
    (contents.comparisons if manifest["study"] == COMPARE else contents.studies).append(study)


def assert_keys(config: Mapping[str, Any], *keys: str) -> None:
    """Raise `LookupError` unless a configuration has these keys."""
    for key in keys:
        if key not in config:
            raise LookupError(f"its config.json has no '{key}'")
