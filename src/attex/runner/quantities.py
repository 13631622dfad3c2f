"""The quantities of a run's models as files: every number, and the sums over texts behind it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attex.analyses.analysis import Analysis, Evidence
from attex.analyses.quantity import Quantity
from attex.analyses.summary import frame

if TYPE_CHECKING:
    import polars as pl

NUMBERS, SUMS = "numbers.parquet", "sums.parquet"
BELOW = "|below"
"""Ends the column of a quantity's denominators; that of its numerators goes by its name."""


def write_quantities(folder: Path, analysis: Analysis, evidence: Evidence) -> None:
    """Write what an analysis says of each model: one row a number, and one row a text with its sums."""
    import polars as pl

    numbers, sums = [], []
    for seed in evidence.seeds:
        alone = Evidence(evidence.about, evidence.corpus, evidence.measures, (seed,))
        quantities = [*analysis.quantities(alone)]
        numbers += [
            {"seed": seed.seed, "quantity": q.name, "class": q.class_, "value": q.value}
            for q in quantities
        ]
        sums.append(_sums(seed.seed, evidence.texts.names, quantities))
    if numbers:
        frame(numbers).write_parquet(folder / NUMBERS)
        pl.concat(sums).write_parquet(folder / SUMS)


def read_quantities(folders: Iterable[Path]) -> "tuple[pl.DataFrame, pl.DataFrame]":
    """Put together what the analyses of a run say: all numbers, and all sums by text and seed."""
    import polars as pl

    there = [folder for folder in folders if (folder / NUMBERS).is_file()]
    numbers = pl.concat([pl.read_parquet(folder / NUMBERS) for folder in there])
    # A quantity that two analyses have is the same number.
    numbers = numbers.unique(["seed", "quantity", "class"], keep="first", maintain_order=True)
    sums = pl.read_parquet(there[0] / SUMS)
    for folder in there[1:]:
        more = pl.read_parquet(folder / SUMS)
        sums = sums.hstack([column for column in more if column.name not in sums.columns])
    return numbers, sums


def _sums(seed: int, names: Sequence[str], quantities: Sequence[Quantity]) -> "pl.DataFrame":
    import polars as pl

    columns: dict[str, pl.Series] = {
        "name": pl.Series(names, dtype=pl.String),
        "seed": pl.Series([seed] * len(names), dtype=pl.Int64),
    }
    for quantity in quantities:
        if quantity.above is not None and quantity.below is not None:
            columns[quantity.name] = pl.Series(quantity.above, dtype=pl.Float32)
            columns[quantity.name + BELOW] = pl.Series(quantity.below, dtype=pl.Float32)
    return pl.DataFrame(columns)
