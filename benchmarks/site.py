"""How long the site of an output folder with 500 runs takes."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import attex
from attex.site.building import SiteBuilder
from benchmarks.timing import Result, within

RUNS = 500
TEXTS = (60, 20, 1_725)
"""As many test texts as SST has."""

COPIED = ("manifest.json", "headlines.csv", "metrics.json", "instances.parquet", "sums.parquet")


def benchmarks(data: Path | None) -> Iterator[Result]:
    """Run one experiment of three seeds, and copy it under 500 names with other settings."""
    with tempfile.TemporaryDirectory() as name:
        output = Path(name)
        _run_folders(output)
        title = f"attex site, {RUNS} runs of 3 seeds and {TEXTS[-1]:,} texts"
        yield within(title, lambda: SiteBuilder(output).build(), 60.0)


def _run_folders(output: Path) -> None:
    config = {
        "name": "run-0",
        "data": {"type": "planted", "sizes": TEXTS},
        "model": {"embedding_width": 8, "encoder": {"type": "average", "hidden": 4}},
        "trainer": {"epochs": 1},
        "seeds": [0, 1, 2],
        "analyses": ["agreement", "truth"],
    }
    run = attex.run(config, output_dir=output)
    assert isinstance(run, attex.Run)
    for number in range(1, RUNS):
        copy = output / f"run-{number}" / run.path.name
        (copy / "tables").mkdir(parents=True)
        for name in COPIED:
            shutil.copyfile(run.path / name, copy / name)
        shutil.copyfile(run.path / "tables" / "numbers.csv", copy / "tables" / "numbers.csv")
        (copy / "report.html").write_text("a page\n")
        settings = dict(run.config) | {"name": f"run-{number}"}
        settings["trainer"] = settings["trainer"] | {"learning_rate": number * 1e-5}
        (copy / "config.json").write_text(json.dumps(settings))


if __name__ == "__main__":
    for result in benchmarks(None):
        print(result.line())
