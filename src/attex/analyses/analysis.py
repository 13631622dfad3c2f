"""What an analysis is: evidence of trained models in, tables and charts out."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from attex.data.corpus import Corpus, Split
from attex.foundations.registry import Registry
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class SeedEvidence:
    """One trained model on the analysed split: logits [N,O], and flat scores by measure.

    `findings` is what the analysis itself found out about it; an analysis that reads no scores gets
    none.
    """

    seed: int
    logits: Tensor
    predicted: np.ndarray
    scores: dict[str, Tensor] = field(default_factory=dict)
    findings: dict[str, Tensor] = field(default_factory=dict)


def _not_at_hand() -> AttentionModel:
    raise LookupError("this analysis does not say that it examines the untrained model")


@dataclass(frozen=True)
class Subject:
    """One trained model as an analysis examines it, with all that was computed of it.

    `controls` holds the same scores of models to compare it with, by the name of the variant;
    `load` gives the model itself, `load_untrained` (for an analysis that `examines_untrained`) what
    it was before training.
    """

    corpus: Corpus
    device: torch.device
    scores: dict[str, Tensor]
    controls: dict[str, dict[str, Tensor]]
    load: Callable[[], AttentionModel]
    load_untrained: Callable[[], AttentionModel] = _not_at_hand

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures, in their order."""
        return tuple(self.scores)

    @property
    def texts(self) -> Split:
        """The analysed texts."""
        return self.corpus.splits[ANALYSED]


@dataclass(frozen=True)
class Evidence:
    """All that is known of an experiment's models.

    `about` holds the columns that identify it in every table: dataset, encoder, attention,
    projection.
    """

    about: dict[str, str]
    corpus: Corpus
    measures: tuple[str, ...]
    seeds: tuple[SeedEvidence, ...]

    @property
    def texts(self) -> Split:
        """The analysed texts."""
        return self.corpus.splits[ANALYSED]


@dataclass(frozen=True)
class Headline:
    """A question that a reader of the report has, and the number that answers it, if it has one."""

    question: str
    quantity: str
    value: float | None
    low: float | None
    high: float | None
    chance: float | None
    ceiling: float | None = None


@dataclass(frozen=True)
class Result:
    """Tables by path in the run folder (no suffix), Vega-Lite charts by name, and headlines."""

    tables: "dict[str, pl.DataFrame]"
    charts: dict[str, dict[str, Any]] = field(default_factory=dict)
    headline: list[Headline] = field(default_factory=list)


class Analysis(ABC):
    """Turns evidence into tables and charts; never trains.

    What takes long is found out by `examine`, one model at a time and on the model's device, and
    kept; the rest lays it out.
    """

    title: ClassVar[str]
    explanation: ClassVar[str]
    examines: ClassVar[bool] = False
    """Whether it has an `examine` of its own."""
    examines_scores: ClassVar[bool] = True
    """Whether that looks at scores; what does not is not found out again when a measure is added."""
    examines_untrained: ClassVar[bool] = False
    """Whether it looks into the model before training, too."""
    reads_scores: ClassVar[bool] = True
    """Whether it lays out scores; what does not is not laid out again when a measure is added."""

    def requires(self, measures: Sequence[str], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the variants of every model (see `VARIANTS`) whose scores it wants as controls."""
        return ()

    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Compute what the tables need of one model; tensors of any shape, by name.

        Runs on a bare machine: nothing but torch, NumPy and SciPy is imported here.
        """
        return {}

    @abstractmethod
    def check(self, corpus: Corpus, measures: Sequence[str]) -> None:
        """Raise `UserError` if the data or the measures do not suffice; called before training."""

    @abstractmethod
    def __call__(self, evidence: Evidence) -> Result:
        """Analyse."""


ANALYSED = "test"
"""The split that analyses look at."""

UNTRAINED, PERMUTED = "untrained", "permuted"
VARIANTS = (UNTRAINED, PERMUTED)
"""What a model is compared with: itself before training; itself under its own weights, shuffled."""

ANALYSES: Registry[Analysis] = Registry("analysis", "attex.analyses")
