"""Between the files of finished stages and what analyses take and give."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from torch import Tensor

from attex.analyses.analysis import Evidence, Headline, Result, SeedEvidence
from attex.data.corpus import Corpus
from attex.foundations.divergences import distribution
from attex.foundations.storage import read_json, read_tensors, write_json

Folders = Mapping["Piece", Path]


@dataclass(frozen=True)
class Piece:
    """What one folder of a seed holds: predictions, scores of a measure, findings of an analysis."""

    seed: int
    measure: str | None = None
    variant: str | None = None
    analysis: str | None = None


def gather(
    about: dict[str, str], corpus: Corpus, measures: tuple[str, ...], folders: Folders
) -> Evidence:
    """Read the folders of every seed."""
    found = []
    for seed in dict.fromkeys(piece.seed for piece in folders):
        logits = read_tensors(folders[Piece(seed)] / "logits.safetensors")[0]["logits"]
        predicted = distribution(logits).argmax(dim=1).numpy()
        findings: dict[str, Tensor] = {}
        for piece, folder in folders.items():
            if piece.seed == seed and piece.analysis is not None:
                findings |= read_tensors(folder / "findings.safetensors")[0]
        scores = read_scores(folders, seed)
        found.append(SeedEvidence(seed, logits, predicted, scores, findings))
    return Evidence(about, corpus, measures, tuple(found))


def read_scores(folders: Folders, seed: int, variant: str | None = None) -> dict[str, Tensor]:
    """Read the flat scores of one model by measure, as far as there are folders."""
    return {
        piece.measure: read_tensors(folder / "scores.safetensors")[0]["scores"]
        for piece, folder in folders.items()
        if piece.seed == seed and piece.variant == variant and piece.measure is not None
    }


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
