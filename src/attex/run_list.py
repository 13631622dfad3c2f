"""What is in an output folder, without opening more of each run than its headlines."""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attex.analyses.headline import PERFORMANCE, Headline, decimals, read_headlines
from attex.foundations.errors import UserError, brief

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-(\d+))?")


@dataclass(frozen=True)
class ListedRun:
    """A run folder: its experiment, when it was made, its seeds, and its headlines or what they lack."""

    path: Path
    experiment: str
    when: str
    seeds: int
    headlines: Mapping[str, Sequence[Headline]]
    trouble: str = ""

    def line(self) -> str:
        """Say it in one line: the first headline of each analysis."""
        shown = [f"{self.seeds} seed{'s' * (self.seeds != 1)}"]
        for analysis, (first, *_) in self.headlines.items():
            shown.append(first.number() if analysis == PERFORMANCE else f"{analysis} {first.number()}")
        return f"{self.when}  {self.experiment}  {self.trouble or '; '.join(shown)}"

    def lines(self) -> Iterator[str]:
        """Say it in full: the folder, and every headline with its question."""
        yield f"{self.when}  {self.path}"
        for headline in (one for headlines in self.headlines.values() for one in headlines):
            chance = "" if headline.chance is None else f" (chance {decimals(headline.chance)})"
            yield f"  {headline.question}  {headline.number()}{chance}"
        if self.trouble:
            yield f"  {self.trouble}"


def finished_runs(output: Path, experiment: str | None = None) -> list[ListedRun]:
    """Return the runs in an output folder, newest first; those of one experiment if it is named."""
    folders = [path.parent for path in output.glob(f"{experiment or '*'}/*/manifest.json")]
    found = [folder for folder in folders if _TIME.fullmatch(folder.name)]
    return [_listed(folder) for folder in sorted(found, key=_age)]


def find_run(run: str | Path, output: Path) -> Path:
    """Find a run: its folder, or the newest of an experiment in an output folder."""
    path, name = Path(run), str(run)
    if (path / "manifest.json").is_file():
        return path
    found = [one.path for one in finished_runs(output) if one.experiment == name]
    if found:
        return found[0]
    if path.exists():
        raise UserError(f"{path} is not a run folder: it has no manifest.json")
    from attex.foundations.registry import did_you_mean

    near = did_you_mean(name, {one.experiment for one in finished_runs(output)})
    raise UserError(
        f"{brief(name)} is neither a run folder nor an experiment with a finished run in {output}{near}"
    )


def _age(folder: Path) -> tuple[str, int, str]:
    """Sort newest first; of two that ended in the same second, the one with the higher number."""
    time = _TIME.fullmatch(folder.name)
    assert time is not None
    newest_first = "".join(str(9 - int(digit)) for digit in re.sub(r"\D", "", time[0])[:14])
    return newest_first, -int(time[5] or 1), folder.parent.name


def _listed(folder: Path) -> ListedRun:
    time = _TIME.fullmatch(folder.name)
    assert time is not None
    when = f"{time[1]} {time[2]}:{time[3]}:{time[4]}"
    try:
        seeds = len(json.loads((folder / "manifest.json").read_bytes())["seeds"])
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return ListedRun(folder, folder.parent.name, when, 0, {}, "its manifest.json cannot be read")
    headlines, trouble = {}, ""
    try:
        headlines = read_headlines(folder / "headlines.csv")
    except FileNotFoundError:
        trouble = "it has no headlines.csv: an earlier version of attex made it"
    except (OSError, ValueError, LookupError, TypeError, csv.Error):
        trouble = "its headlines.csv cannot be read"
    return ListedRun(folder, folder.parent.name, when, seeds, headlines, trouble)
