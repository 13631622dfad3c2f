"""Between the files of finished stages and what analyses take and give."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from torch import Tensor

from attex.analyses.analysis import Evidence, Headline, Result, SeedEvidence
from attex.data.corpus import Corpus
from attex.foundations.divergences import distribution
from attex.foundations.registry import Spec
from attex.foundations.storage import read_json, read_tensors, write_json


def predictions_of(seed: int) -> str:
    """Name the input that holds the predictions of a seed's model."""
    return f"seed {seed}: predictions"


def findings_of(seed: int) -> str:
    """Name the input that holds what the analysis found out about a seed's model."""
    return f"seed {seed}: findings"


def scores_of(measure: str, variant: str | None = None, seed: int | None = None) -> str:
    """Name the input that holds a measure's scores, where several seeds are inputs by its number."""
    name = f"scores of {measure}" + (f", {variant}" if variant else "")
    return name if seed is None else f"seed {seed}: {name}"


def gather(
    about: dict[str, str],
    corpus: Corpus,
    measures: tuple[Spec, ...],
    seeds: Sequence[int],
    inputs: Mapping[str, Path],
) -> Evidence:
    """Read what the inputs hold of every seed: predictions, and scores and findings if there are any."""
    models = []
    titles = [measure.title for measure in measures]
    for seed in seeds:
        logits = read_tensors(inputs[predictions_of(seed)] / "logits.safetensors")[0]["logits"]
        predicted = distribution(logits).argmax(dim=1).numpy()
        findings: dict[str, Tensor] = {}
        if findings_of(seed) in inputs:
            findings = read_tensors(inputs[findings_of(seed)] / "findings.safetensors")[0]
        scores = read_scores(inputs, titles, seed=seed)
        asked = read_scores(inputs, titles, seed=seed, of="query_scores")
        models.append(SeedEvidence(seed, logits, predicted, scores, findings, asked))
    return Evidence(about, corpus, measures, tuple(models))


def read_scores(
    inputs: Mapping[str, Path],
    titles: Sequence[str],
    variant: str | None = None,
    seed: int | None = None,
    of: Literal["scores", "query_scores"] = "scores",
) -> dict[str, Tensor]:
    """Read the flat scores of one model by the measure's title, as far as they are among the inputs.

    They are of the texts, or of the queries: those there are for models that attend to both.
    """
    folders = (inputs.get(scores_of(title, variant, seed)) for title in titles)
    files = {
        title: read_tensors(folder / "scores.safetensors")[0]
        for title, folder in zip(titles, folders, strict=True)
        if folder is not None
    }
    return {title: tensors[of] for title, tensors in files.items() if of in tensors}


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
        for path in sorted(folder.glob("*/**/*.parquet"))
    }
    headline = [Headline(**fields) for fields in read_json(folder / "headline.json")]
    return Result(tables, read_json(folder / "charts.json"), headline)
