"""Between the files of finished stages and what analyses take and give."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from attex.analyses.analysis import Evidence, Headline, Result, SeedEvidence
from attex.data.corpus import Corpus
from attex.foundations.divergences import distribution
from attex.foundations.storage import read_json, read_tensors, write_json


def gather(
    about: dict[str, str],
    corpus: Corpus,
    seeds: Sequence[int],
    measures: tuple[str, ...],
    folders: Sequence[Path],
) -> Evidence:
    """Read, for each seed in turn, the folder of its predictions and one folder a measure."""
    step = 1 + len(measures)
    found = []
    for number, seed in enumerate(seeds):
        predictions, *importance = folders[number * step : (number + 1) * step]
        logits = read_tensors(predictions / "logits.safetensors")[0]["logits"]
        scores = {
            measure: read_tensors(folder / "scores.safetensors")[0]["scores"]
            for measure, folder in zip(measures, importance, strict=True)
        }
        predicted = distribution(logits).argmax(dim=1).numpy()
        found.append(SeedEvidence(seed, logits, predicted, scores))
    return Evidence(about, corpus, measures, tuple(found))


def write_result(folder: Path, result: Result) -> None:
    """Write tables as parquet (exact), charts and headlines as JSON."""
    for name, table in result.tables.items():
        path = folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        table.write_parquet(path)
    write_json(folder / "charts.json", result.charts)
    write_json(folder / "headline.json", [asdict(headline) for headline in result.headline])


def read_result(folder: Path) -> Result:
    """Read what `write_result` wrote."""
    import polars as pl

    tables = {
        path.relative_to(folder).with_suffix("").as_posix(): pl.read_parquet(path)
        for path in sorted(folder.glob("**/*.parquet"))
    }
    headline = [Headline(**fields) for fields in read_json(folder / "headline.json")]
    return Result(tables, read_json(folder / "charts.json"), headline)
