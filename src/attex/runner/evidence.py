"""Between the files of finished stages and what analyses take and give."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from torch import Tensor

from attex.analyses.analysis import Evidence, Headline, Result, SeedEvidence
from attex.data.corpus import Corpus
from attex.foundations.divergences import distribution
from attex.foundations.storage import read_json, read_tensors, write_json


@dataclass(frozen=True)
class Piece:
    """What one folder of a seed holds: its predictions, or a measure's scores under a variant."""

    seed: int
    measure: str | None = None
    variant: str | None = None


def gather(
    about: dict[str, str],
    corpus: Corpus,
    measures: tuple[str, ...],
    folders: Mapping[Piece, Path],
) -> Evidence:
    """Read the folders of every seed."""

    def scores(seed: int, variant: str | None) -> dict[str, Tensor]:
        return {
            measure: read_tensors(folders[Piece(seed, measure, variant)] / "scores.safetensors")[0][
                "scores"
            ]
            for measure in measures
        }

    found = []
    for seed in dict.fromkeys(piece.seed for piece in folders):
        logits = read_tensors(folders[Piece(seed)] / "logits.safetensors")[0]["logits"]
        predicted = distribution(logits).argmax(dim=1).numpy()
        variants = dict.fromkeys(p.variant for p in folders if p.seed == seed and p.variant)
        controls = {variant: scores(seed, variant) for variant in variants if variant}
        found.append(SeedEvidence(seed, logits, predicted, scores(seed, None), controls))
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
