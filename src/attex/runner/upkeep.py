"""What the cache of an output folder holds, how large it is, and what of it can go."""

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from attex.foundations.errors import UserError
from attex.foundations.ownership import is_abandoned, is_held
from attex.foundations.storage import PARTIAL, Damaged, read_json
from attex.runner.cache import DISCARDED, RECORD
from attex.runner.stage import Made
from attex.runner.workspace import Workspace


@dataclass(frozen=True)
class CachedStage:
    """A finished or begun stage, and the experiments whose run folders were made of it."""

    path: Path
    size: int
    experiments: tuple[str, ...]

    @property
    def kind(self) -> str:
        """What kind of stage it is."""
        return self.path.parent.name


@dataclass(frozen=True)
class Holdings:
    """All that lies in a cache.

    `useless` is what no run will ever look at: caches in the form of earlier versions, and what
    killed processes have left. `unused` stages belong to no run folder; a run may still want them.
    """

    root: Path
    stages: tuple[CachedStage, ...]
    useless: dict[Path, int]

    @property
    def unused(self) -> list[CachedStage]:
        """The stages that belong to no run folder."""
        return [stage for stage in self.stages if not stage.experiments]

    def lines(self) -> Iterator[str]:
        """Say what is there, by kind of stage and by experiment, the largest first."""
        yield f"{self.root}: {shown(_sum(self.stages))} in {counted(len(self.stages), 'stage')}"
        if self.stages:
            yield from _table("stage", _grouped((stage.kind, stage) for stage in self.stages))
            by_experiment = ((name, stage) for stage in self.stages for name in stage.experiments)
            named = _grouped(by_experiment) | (
                {"(in no run folder)": self.unused} if self.unused else {}
            )
            yield from _table("experiment", named)
            if len({name for stage in self.stages for name in stage.experiments}) > 1:
                yield "  a stage that several experiments share counts for each of them"
        if self.useless:
            size, places = shown(sum(self.useless.values())), counted(len(self.useless), "place")
            yield f"of no use any more: {size} in {places}; --prune removes it"


def holdings(workspace: Workspace) -> Holdings:
    """Look through the cache of an output folder."""
    root, output = workspace.cache.root, workspace.output
    made_of = _experiments_by_stage(output)
    stages, useless = [], {}
    for path in sorted(root.glob("*/*")):
        if path.is_dir() and path.parent.name != "tasks":
            if path.name.endswith(DISCARDED):
                useless[path] = _size(path)
            else:
                key = path.name.removesuffix(PARTIAL)
                stages.append(CachedStage(path, _size(path), made_of.get(key, ())))
    earlier = [path for path in root.parent.glob("*") if path != root and not _is_later(path, root)]
    left = [
        p for p in (*root.glob(f"tasks/*{PARTIAL}"), *output.glob(f"*/*{PARTIAL}")) if is_abandoned(p)
    ]
    useless |= {path: _size(path) for path in (*earlier, *left)}
    return Holdings(root, tuple(stages), useless)


def prune(found: Holdings, workspace: Workspace, unused: bool) -> int:
    """Remove what is of no use and, if asked, the stages that belong to no run folder; bytes freed."""
    stages = found.unused if unused else []
    at_work = next((path for path in found.root.glob("*/*.claim") if is_held(path)), None)
    if stages and at_work is not None:
        raise UserError(f"a run is at work here ({at_work}): what it will want cannot be told yet")
    for stage in stages:
        if (stage.path / RECORD).is_file():
            workspace.cache.discard(Made(stage.kind, stage.path.name))
        else:
            _remove(stage.path)
    for path in found.useless:
        _remove(path)
    return sum(found.useless.values()) + _sum(stages)


def shown(size: float) -> str:
    """Write a number of bytes as people do."""
    units = ["B", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    decimals = 1 if units[0] in ("MB", "GB", "TB") and size < 100 else 0
    return f"{size:.{decimals}f} {units[0]}"


def counted(number: int, what: str) -> str:
    """Write how many there are of something."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _is_later(path: Path, root: Path) -> bool:
    """Say whether a later version of attex keeps its cache there: forms are numbered."""
    return path.name.isdecimal() and int(path.name) > int(root.name)


def _experiments_by_stage(output: Path) -> dict[str, tuple[str, ...]]:
    """Return the names of the experiments, and studies, whose folders name a stage, by its key."""
    made_of: dict[str, set[str]] = defaultdict(set)
    for path in output.glob("*/*/manifest.json"):
        try:
            manifest = read_json(path)
            for stage in manifest["models" if "study" in manifest else "stages"]:
                made_of[stage["key"]].add(path.parent.parent.name)
        except (Damaged, LookupError, TypeError):
            continue
    return {key: tuple(sorted(names)) for key, names in made_of.items()}


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() and not path.is_symlink() else (path,)
    return sum(file.lstat().st_size for file in files if not file.is_dir())


def _sum(stages: Iterable[CachedStage]) -> int:
    return sum(stage.size for stage in stages)


def _grouped(pairs: Iterable[tuple[str, CachedStage]]) -> dict[str, list[CachedStage]]:
    groups: dict[str, list[CachedStage]] = defaultdict(list)
    for name, stage in pairs:
        groups[name].append(stage)
    return dict(sorted(groups.items(), key=lambda group: (-_sum(group[1]), group[0])))


def _table(heading: str, groups: dict[str, list[CachedStage]]) -> Iterator[str]:
    width = max(map(len, (heading, *groups)))
    yield f"  {heading:{width}}  {'size':>8}  stages"
    for name, stages in groups.items():
        yield f"  {name:{width}}  {shown(_sum(stages)):>8}  {len(stages):>6,}"
