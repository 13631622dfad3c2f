"""A finished study: its folder, read when asked."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.finished_run import read_table
from attex.foundations.errors import UserError
from attex.foundations.storage import read_json

if TYPE_CHECKING:
    import polars as pl

_ANSWER = "answer.json"


class FinishedStudy:
    """A finished study. Its folder is enough: nothing is read from anywhere else.

    Example:
        Two minute models, to show what there is to read:

        >>> import tempfile
        >>> import attex
        >>> small = {"embedding_width": 4, "encoder": {"type": "average", "hidden": 2}}
        >>> data = {"type": "planted", "sizes": [20, 10, 10]}
        >>> base = {"data": data, "model": small, "analyses": ["truth"]}
        >>> epochs = {"trainer.epochs": [1, 2]}
        >>> study = {"study": "sweep", "base": base, "choices": epochs, "seeds": [0]}
        >>> study = attex.run(study, output_dir=tempfile.mkdtemp())
        >>> sorted(study.tables), study.report.name
        (['numbers', 'settings', 'spread'], 'report.html')
        >>> study.runs.filter(quantity="accuracy").select("trainer.epochs", "seed").rows()
        [(1, '0'), (2, '0')]
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        for name in ("manifest.json", _ANSWER):
            if not (self.path / name).is_file():
                raise UserError(f"{self.path} is not the folder of a study: it has no {name}")

    @cached_property
    def config(self) -> dict[str, Any]:
        """What was asked: the study file, its defaults filled in."""
        return dict(read_json(self.path / "config.json"))

    @cached_property
    def tables(self) -> "dict[str, pl.DataFrame]":
        """Every table by name."""
        return {path.stem: read_table(path) for path in sorted(self.path.glob("tables/*.csv"))}

    @property
    def runs(self) -> "pl.DataFrame":
        """Every number of every model, with what was chosen for it."""
        return self.tables["numbers"]

    @cached_property
    def answer(self) -> str:
        """What came of it, a sentence or more on each line."""
        return "\n".join(read_json(self.path / _ANSWER)["lead"])

    @cached_property
    def summary(self) -> "pl.DataFrame":
        """The headlines: each question with the number that answers it, and its interval."""
        return read_table(self.path / "headlines.csv")

    @property
    def report(self) -> Path:
        """The page to open."""
        return self.path / "report.html"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"
