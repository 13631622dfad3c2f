"""A finished run: its folder, read when asked."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attex.foundations.csv_cells import original
from attex.foundations.errors import UserError, brief
from attex.foundations.registry import did_you_mean
from attex.foundations.storage import read_json

if TYPE_CHECKING:
    import polars as pl

    from attex.explanation import Explainer, Explanation, Measures, Text
    from attex.models.classifier import AttentionModel


class Run:
    """A finished run. Its folder is enough: nothing is read from anywhere else.

    Example:
        A minute model, to show what there is to read:

        >>> import tempfile
        >>> import attex
        >>> small = {"embedding_width": 4, "encoder": {"type": "average", "hidden": 2}}
        >>> data = {"type": "planted", "sizes": [20, 10, 10]}
        >>> config = {"data": data, "model": small, "trainer": {"epochs": 1}, "analyses": ["truth"]}
        >>> run = attex.run(config, output_dir=tempfile.mkdtemp())
        >>> sorted(run.tables), len(run.instances), run.report.name
        (['numbers', 'performance', 'truth'], 10, 'report.html')
        >>> run.model().encoder.width
        2
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not (self.path / "manifest.json").is_file():
            raise UserError(f"{self.path} is not a run folder: it has no manifest.json")

    @cached_property
    def config(self) -> dict[str, Any]:
        """The resolved configuration."""
        return dict(read_json(self.path / "config.json"))

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """Facts of the data, and every seed's scores and training history."""
        return dict(read_json(self.path / "metrics.json"))

    @cached_property
    def tables(self) -> "dict[str, pl.DataFrame]":
        """Every table by name; those of `correlation/` keep that prefix."""
        own = {path.stem: path for path in sorted(self.path.glob("tables/*.csv"))}
        own |= {f"correlation/{p.stem}": p for p in sorted(self.path.glob("correlation/*.csv"))}
        return {name: read_table(path) for name, path in own.items()}

    @cached_property
    def view(self) -> "Views":
        """The few rows and columns of each table that a person reads first; made when asked for."""
        return Views(self)

    @cached_property
    def answer(self) -> str:
        """What came of it, in one sentence."""
        from attex.runner.closing import closing_line

        return closing_line(self.path)

    @cached_property
    def summary(self) -> "pl.DataFrame":
        """The headlines: each question with the number that answers it, its interval and chance."""
        return read_table(self.path / "headlines.csv")

    @cached_property
    def instances(self) -> "pl.DataFrame":
        """One row for each text and seed: its tokens and every score."""
        import polars as pl

        return pl.read_parquet(self.path / "instances.parquet")

    @cached_property
    def vocabulary(self) -> dict[str, Any]:
        """The words that the models know, in the order of their rows; the classes; the markers."""
        return dict(read_json(self.path / "vocabulary.json"))

    @property
    def reads_as(self) -> Path | None:
        """The folder that says how a pretrained model cuts words, where the models are of such a one."""
        from attex.models.pretrained_folder import PRETRAINED

        folder = self.path / PRETRAINED
        return folder if folder.is_dir() else None

    @property
    def report(self) -> Path:
        """The page to open."""
        return self.path / "report.html"

    def model(self, seed: int | None = None, device: str = "cpu") -> "AttentionModel":
        """Load the trained model of a seed, the first if none is named, ready to be looked at."""
        from attex.config.imports import import_modules
        from attex.foundations.devices import choose_device
        from attex.models.architecture import MODELS
        from attex.models.assembly import load_model
        from attex.models.pretrained_folder import moved
        from attex.training.trainer import TRAINERS, Trainer

        seeds = self.config["seeds"]
        seed = seeds[0] if seed is None else seed
        if seed not in seeds:
            near = did_you_mean(seed, map(str, seeds)) or f"; it has {', '.join(map(str, seeds))}"
            raise UserError(f"{self.path} has no model of seed {seed}{near}")
        import_modules(self.config["imports"], str(self.path), None)
        file = "model.safetensors" if seed == seeds[0] else f"model_seed_{seed}.safetensors"
        where = choose_device(device)

        def load(model: Any, trained_by: Any, weights: str, of: str = "") -> "AttentionModel":
            if not (self.path / weights).is_file():
                raise UserError(
                    f"{self.path} has no {weights}: the weights are gone; run the experiment again "
                    "(attex run), which takes from the cache what is still there"
                )
            size, classes = len(self.vocabulary["words"]), len(self.vocabulary["classes"])
            trainer: Trainer = TRAINERS.bind(TRAINERS.spec(trained_by))
            sources = {
                # What a source does not say is as in the experiment around it, but for the trainer.
                name: load(
                    fields.get("model", model),
                    fields.get("trainer", "supervised"),
                    f"source_{of}{name}_seed_{seed}.safetensors",
                    f"{of}{name}.",
                )
                for name, fields in trainer.sources().items()
            }
            spec, file = MODELS.spec(model), self.path / weights
            if self.reads_as is not None:
                spec = moved(spec, self.reads_as)
            return load_model(spec, size, classes, file, where, lambda m: trainer.wrap(m, sources))

        return load(self.config["model"], self.config["trainer"], file)

    def explain(
        self,
        text: "Text",
        measures: "Measures | None" = None,
        seed: int | None = None,
        device: str = "cpu",
        query: "Text | None" = None,
    ) -> "Explanation":
        """Have the model of a seed read a new text: its prediction, and a score for every token.

        The model is loaded once, and kept for the next text.

        Args:
            text: cut into tokens as the dataset's texts were; a list is taken as tokens.
            measures: names, or mappings as in an experiment; those of the run if none are named. One
                that asks for the label is given the predicted one.
            seed: of the model; the first if none is named.
            device: where it is computed.
            query: what is asked of the text, where the models of the run read two.

        Raises:
            UserError: if the text has no tokens, or the run no such model; the message says which.

        Example:
            >>> import tempfile
            >>> import attex
            >>> small = {"embedding_width": 4, "encoder": {"type": "average", "hidden": 2}}
            >>> config = {"data": {"type": "planted", "sizes": [20, 10, 10]}, "model": small}
            >>> run = attex.run(config, output_dir=tempfile.mkdtemp())
            >>> explanation = run.explain("The zorb was clean.", measures=["attention"])
            >>> explanation.tokens, explanation.unknown_words
            (['the', 'zorb', 'was', 'clean', '.'], ['zorb', 'clean', '.'])
            >>> round(sum(explanation.scores["attention"]), 6)
            1.0
        """
        from attex.explanation import Explainer

        if (seed, device) not in self._explainers:
            self._explainers[seed, device] = Explainer(self, seed, device)
        return self._explainers[seed, device](text, measures, query)

    @cached_property
    def _explainers(self) -> "dict[tuple[int | None, str], Explainer]":
        return {}

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


class Views(Mapping[str, "pl.DataFrame"]):
    """The views of a run's tables, by the names of the tables.

    An analysis chooses what is read of its tables. The values are those of `Run.tables`.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._made: dict[str, pl.DataFrame] = {}

    def __getitem__(self, name: str) -> "pl.DataFrame":
        tables = self._run.tables
        if name not in [*self]:
            near = did_you_mean(name, self) or f"; it has {', '.join(self)}"
            raise NoSuchTable(f"{self._run.path} has no table '{brief(name)}'{near}")
        if name not in self._made:
            self._made[name] = self._view(name, tables[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        # Those of `correlation/` hold the same in the layout of the original repository.
        return (name for name in self._run.tables if "/" not in name)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Views({', '.join(self)})"

    def _view(self, name: str, table: "pl.DataFrame") -> "pl.DataFrame":
        from attex.analyses.analysis import analysis_class
        from attex.analyses.views import narrow
        from attex.claims.matching import PUBLISHED

        if name == "published":
            return narrow(table, PUBLISHED)
        # The tables of an analysis begin with its name. One that is not there any more has no say.
        asked = ["performance", *(spec["type"] for spec in self._run.config["analyses"])]
        for analysis in sorted(asked, key=len, reverse=True):
            if name.startswith(analysis):
                return analysis_class(analysis).view(name, table)
        return narrow(table)


class NoSuchTable(UserError, KeyError):
    """A run has no table of this name; the message says which there are."""

    __str__ = Exception.__str__


def read_table(path: Path) -> "pl.DataFrame":
    """Read a table of a run or a study; some columns are text even if they look like numbers."""
    import polars as pl

    with path.open(encoding="utf-8") as file:
        columns = file.readline().rstrip("\n").split(",")
    texts: dict[str, pl.DataType] = {n: pl.String() for n in ("seed", "class") if n in columns}
    return original(pl.read_csv(path, schema_overrides=texts, infer_schema_length=None))
