"""What an analysis is: evidence of trained models in, tables and charts out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from torch import Tensor

from attex.data.corpus import Corpus, Split
from attex.foundations.registry import Registry
from attex.models.encoder import Encoder

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class SeedEvidence:
    """One trained model on the analysed split: logits [N,O], and flat scores by measure.

    `controls` holds the same scores of models to compare it with, by the name of the variant.
    """

    seed: int
    logits: Tensor
    predicted: np.ndarray
    scores: dict[str, Tensor]
    controls: dict[str, dict[str, Tensor]] = field(default_factory=dict)


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
    """Turns evidence into tables and charts; never trains."""

    title: ClassVar[str]
    explanation: ClassVar[str]

    def requires(self, measures: Sequence[str], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the variants of every model (see `VARIANTS`) whose scores it wants as controls."""
        return ()

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
