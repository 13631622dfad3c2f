"""Finished runs side by side: what `attex compare` and a notebook call."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.analyses.headline import decimals
from attex.finished_run import Run
from attex.finished_study import FinishedStudy
from attex.run_list import find_run

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 8
"""As many differences of one run are printed; the page has all."""

_NUMBERS = ("base", "value", "difference", "low", "high")


class Comparison(FinishedStudy):
    """What came of comparing runs: a folder, read when asked."""

    @property
    def table(self) -> "pl.DataFrame":
        """A row for each run but the first and each number: the difference, and its interval."""
        return self.tables["differences"]

    @property
    def runs(self) -> "pl.DataFrame":
        """Every number of every run and seed, on the texts that were compared."""
        return self.tables["values"]

    def lines(self) -> Iterator[str]:
        """Say the leading differences of each run, in a few lines."""
        for rows in self.table.partition_by("run", maintain_order=True):
            first = rows.row(0, named=True)
            seeds = max(rows["seeds"].to_list())
            compared = f"{first['texts']:,} texts, {seeds} seed{'s' * (seeds != 1)}"
            yield f"{first['run']} against {first['against']}: {compared}"
            shown = rows.head(_SHOWN).to_dicts()
            width = max(len(row["quantity"]) for row in shown)
            for row in shown:
                yield f"  {row['quantity']:{width}}  {_numbers(row)}"
            if rows.height > len(shown):
                yield f"  … and {rows.height - len(shown):,} more"


def compare(*runs: "Run | str | Path", output_dir: str | Path = "outputs") -> Comparison:
    """Compare finished runs with the first of them: paired differences of every number both have.

    They are taken on the texts that all runs have, by their names, and seed by seed. Tables, figures and
    page go to `<output_dir>/compare/<timestamp>`.

    Args:
        *runs: two or more: `Run` objects, run folders, or names of experiments in `output_dir`, of
            which the newest run is taken.
        output_dir: where the comparison goes.

    Raises:
        UserError: if one is no run, or they have no texts or seeds in common; the message says which.

    Example:
        Two minute models, of which the second is trained for longer:

        >>> import tempfile
        >>> import attex
        >>> small = {"embedding_width": 4, "encoder": {"type": "average", "hidden": 2}}
        >>> data = {"type": "planted", "sizes": [20, 10, 10]}
        >>> config = {"data": data, "model": small, "trainer": {"epochs": 1}, "analyses": ["truth"]}
        >>> folder = tempfile.mkdtemp()
        >>> short = attex.run(config | {"name": "short"}, output_dir=folder)
        >>> longer = attex.run(config | {"name": "longer", "trainer": {"epochs": 9}}, output_dir=folder)
        >>> found = attex.compare(short, longer, output_dir=folder)
        >>> found.tables["settings"].rows()
        [('trainer.epochs', 1, 9)]
        >>> found.table.columns[:7]
        ['run', 'against', 'quantity', 'class', 'base', 'value', 'difference']
    """
    from attex.runner.workspace import Workspace
    from attex.studies.comparing import compare_runs

    output = Path(output_dir)
    paths = [run.path if isinstance(run, Run) else find_run(run, output) for run in runs]
    return Comparison(compare_runs(paths, Workspace.at(output=output, device="cpu")))


def _numbers(row: dict[str, Any]) -> str:
    """Write a difference with what it is made of; what is not known is left out."""
    known = {name: decimals(row[name], 3) for name in _NUMBERS if row[name] == row[name]}
    if "difference" not in known:
        return "undefined"
    interval = f" [{known['low']}, {known['high']}]" if "low" in known and "high" in known else ""
    return f"{known['base']} → {known['value']}  {known['difference']:>6}{interval}"
