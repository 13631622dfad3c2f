"""A finished study as a page of the results: sentences, tables and figures, none of them typed."""

import argparse
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from attex.charts.pictures import draw
from attex.foundations.errors import MissingData
from attex.runner.engine import choose_engine
from attex.runner.manifest import made_with
from attex.runner.workspace import Workspace
from attex.studies.gathering import gathered
from attex.studies.making import make
from attex.studies.models import Models
from attex.studies.study import Answer
from attex.studies.study_file import StudyFile, find_study
from attex.studies.universes import cells_of
from results.made import MadeModels

_ABOUT = ("dataset", "encoder", "attention", "projection")
_DIGITS = 5


def options(description: str | None) -> argparse.ArgumentParser:
    """Return the options that every script of the results has."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--output-dir", type=Path, default=Path("outputs"))
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--at-hand", action="store_true", help="train nothing: use the models in the cache"
    )
    return parser


def finished(
    study: Path, workspace: Workspace, jobs: int, at_hand: bool, keep_parts: bool = False
) -> tuple[StudyFile, Models]:
    """Train what the cache lacks; or, `at_hand`, leave the cells out of which a model is missing.

    To `keep_parts` is to leave out those only that have no model at all.
    """
    file = find_study(study)
    assert file is not None
    models = Models(cells_of(file), file.seeds, workspace)
    if at_hand:
        models.leave_out_unfinished(keep_parts)
        if not models.cells:
            raise MissingData(f"no cell of {study} is finished in the cache")
    else:
        with choose_engine(None, jobs, {}, workspace) as engine:
            make([models], engine)
    return file, models


def answered(file: StudyFile, models: Models) -> tuple[Answer, list[dict[str, Any]]]:
    """Say what follows from the models, and return the rows of all their numbers."""
    runs, rows = gathered(models, file.choices)
    return file.study(runs, [cell.design for cell in models.cells]), rows


def write_tables(place: Path, answer: Answer, names: Iterable[str], end: str = "") -> None:
    """Write tables of an answer beside the page, their names with an ending."""
    for part in answer.parts:
        for path, table in part.tables.items():
            name = path.removeprefix("tables/")
            if name in names:
                rounded(table).write_csv(place / f"{name}{end}.csv")


def write_wide(path: Path, rows: Sequence[Mapping[str, Any]], choices: Sequence[str]) -> None:
    """Write one row a model, one column a quantity over all texts."""
    table = pl.DataFrame(rows, infer_schema_length=None).filter(pl.col("class") == "overall")
    about = [*_ABOUT, *choices, "seed"]
    wide = table.unique([*about, "quantity"], keep="first", maintain_order=True).pivot(
        on="quantity", index=about, values="value"
    )
    rounded(wide).write_csv(path)


def write_figures(place: Path, answer: Answer, figures: Mapping[str, str]) -> None:
    """Draw charts of an answer as SVG: by the name they get, the name they have."""
    charts = {name: chart for part in answer.parts for name, chart in part.charts.items()}
    write_charts(place, {new: charts[old] for new, old in figures.items()})


def write_charts(place: Path, charts: Mapping[str, dict[str, Any]]) -> None:
    """Draw charts as SVG, by name."""
    scratch = place / ".figures"
    scratch.mkdir(exist_ok=True)
    draw(charts, scratch)
    for name in charts:
        shutil.move(scratch / f"{name}.svg", place / f"{name}.svg")
    shutil.rmtree(scratch)


def write_record(
    path: Path,
    file: StudyFile,
    models: Models,
    workspace: Workspace,
    made: MadeModels | None = None,
) -> None:
    """Write how the study came about: files, designs, models and seconds.

    With `made`, models of other machines count too, as the record that is there has them.
    """
    records = [*models.records()]
    cells, count, seconds = models.cells, len(records), sum(one["seconds"] for one in records)
    # With the folder that it is in: datasets have files of the same name.
    files = {"/".join(name.split("/")[-2:]): digest for name, digest in models.files.items()}
    if made is not None:
        cells, count = made.cells, len(made.keys)
        if made.kept and path.exists():
            before = json.loads(path.read_text(encoding="utf-8"))
            seconds = before["seconds_of_all_models"] + made.seconds_of_new
    record = {
        "laid_out_with": made_with(workspace.device),
        "files": dict(sorted(files.items())),
        "seeds": list(file.seeds),
        "designs": [
            {
                "cell": cell.name,
                "design": cell.design.kind,
                "weights": cell.design.weights,
            }
            for cell in cells
        ],
        "models": count,
        "seconds_of_all_models": round(seconds),
    }
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def rounded(table: pl.DataFrame) -> pl.DataFrame:
    """Round to as many digits as anybody reads."""
    return table.with_columns(pl.col(pl.Float64, pl.Float32).round_sig_figs(_DIGITS))
