"""The curves of a study of retraining as a table: what models reach by the share that is masked."""

from pathlib import Path

import polars as pl

from results.markdown import number, table


def curves(folder: Path, study: str) -> str:
    """Lay out a row for each measure and way of masking; empty until models are trained."""
    path = folder / f"{study}_retrained.csv"
    if not path.exists():
        return ""
    points = pl.read_csv(path, infer_schema_length=None)
    shares = points["share"].unique().sort().to_list()
    rows = []
    for (masking, measure), curve in points.group_by("masking", "measure", maintain_order=True):
        cells = {
            row["share"]: f"{number(row['value'])} [{number(row['low'])}, {number(row['high'])}]"
            for row in curve.iter_rows(named=True)
        }
        rows.append([str(measure), str(masking), *(cells.get(share, "–") for share in shares)])
    quantity = points["quantity"][0]
    names = [f"{quantity}, {100 * share:.0f} % masked" for share in shares]
    return table(["masked by", "masking", *names], rows)
