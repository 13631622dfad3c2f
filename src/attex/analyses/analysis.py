"""What an analysis is: evidence of trained models in, tables and charts out."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from attex.analyses.headline import PERFORMANCE as PERFORMANCE
from attex.analyses.headline import Headline as Headline
from attex.analyses.quantity import Quantity
from attex.analyses.views import View, narrow
from attex.data.corpus import Corpus
from attex.data.ragged import interleaved
from attex.data.split import Split
from attex.foundations.registry import Registry, Spec
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class SeedEvidence:
    """One trained model on the analysed split: logits [N,O], and flat scores by the measure's title.

    `findings` is what the analysis itself found out about it; an analysis that reads no scores gets
    none. `query_scores` are those of the queries, of a model that attends to both texts.
    """

    seed: int
    logits: Tensor
    predicted: np.ndarray
    scores: dict[str, Tensor] = field(default_factory=dict)
    findings: dict[str, Tensor] = field(default_factory=dict)
    query_scores: dict[str, Tensor] = field(default_factory=dict)


def _not_at_hand() -> AttentionModel:
    raise LookupError("this analysis does not say that it examines the untrained model")


@dataclass(frozen=True)
class Subject:
    """One trained model as an analysis examines it, with all that was computed of it.

    `scores` are flat, by the title of the measure; `controls` holds the same of models to compare it
    with, by the name of the variant. An analysis that examines no scores gets no measures. `load`
    gives the model itself, `load_untrained` (for an analysis that `examines_untrained`) what it was
    before training. `load_others` (for one that `compares`) gives the models that it was trained with,
    as `base`, and those that it stands `beside`: none, one or several of each. `query_scores` and
    `query_controls` are the scores of the queries, of a model that attends to both texts.
    """

    corpus: Corpus
    device: torch.device
    measures: tuple[Spec, ...]
    scores: dict[str, Tensor]
    controls: dict[str, dict[str, Tensor]]
    load: Callable[[], AttentionModel]
    load_untrained: Callable[[], AttentionModel] = _not_at_hand
    load_others: Mapping[str, Sequence[Callable[[], AttentionModel]]] = field(default_factory=dict)
    query_scores: dict[str, Tensor] = field(default_factory=dict)
    query_controls: dict[str, dict[str, Tensor]] = field(default_factory=dict)

    @property
    def titles(self) -> tuple[str, ...]:
        """What scores are filed under, in the order of the measures."""
        return tuple(measure.title for measure in self.measures)

    @property
    def texts(self) -> Split:
        """The analysed texts."""
        return self.corpus.splits[ANALYSED]

    def joined(self) -> "Subject":
        """Return the same with each text and its query as one text, if both have scores."""
        if not self.query_scores:
            return self
        texts = self.texts

        def join(scores: dict[str, Tensor], asked: dict[str, Tensor]) -> dict[str, Tensor]:
            starts, query_starts = texts.starts, texts.query_starts
            assert query_starts is not None
            return {t: interleaved(scores[t], starts, asked[t], query_starts) for t in scores}

        return replace(
            self,
            corpus=replace(self.corpus, splits=self.corpus.splits | {ANALYSED: texts.joined()}),
            scores=join(self.scores, self.query_scores),
            controls={v: join(scores, self.query_controls[v]) for v, scores in self.controls.items()},
            query_scores={},
            query_controls={},
        )


@dataclass(frozen=True)
class Evidence:
    """All that is known of an experiment's models.

    `about` holds the columns that identify it in every table: dataset, encoder, attention,
    projection.
    """

    about: dict[str, str]
    corpus: Corpus
    measures: tuple[Spec, ...]
    seeds: tuple[SeedEvidence, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The seeds' numbers."""
        return tuple(seed.seed for seed in self.seeds)

    @property
    def predicted(self) -> np.ndarray:
        """The classes that every model decides for: [S,N]."""
        return np.stack([seed.predicted for seed in self.seeds])

    @property
    def classes(self) -> list[str]:
        """The classes that tables tell apart: those that a text has, or that some model decides for.

        Of the words that could answer a question most never do.
        """
        return [self.corpus.classes[number] for number in self._occurring()]

    @property
    def decided(self) -> np.ndarray:
        """Which of `classes` every model decides for: [S,N]."""
        return np.searchsorted(self._occurring(), self.predicted)

    def _occurring(self) -> np.ndarray:
        return np.union1d(self.texts.labels.numpy(), self.predicted)

    @property
    def findings(self) -> frozenset[str]:
        """The names of what the analysis found out about every model."""
        return frozenset(self.seeds[0].findings)

    def stacked(self, finding: str) -> np.ndarray:
        """Put what was found out about all models together: [S,N] or [S,N,…]."""
        return np.stack([seed.findings[finding].numpy() for seed in self.seeds])

    @property
    def titles(self) -> tuple[str, ...]:
        """What scores are filed under, in the order of the measures."""
        return tuple(measure.title for measure in self.measures)

    @property
    def texts(self) -> Split:
        """The analysed texts."""
        return self.corpus.splits[ANALYSED]


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
    compares: ClassVar[bool] = False
    """Whether it looks at the models that this one was trained with, or stands beside, too."""
    reads_scores: ClassVar[bool] = True
    """Whether it lays out scores; what does not is not laid out again when a measure is added."""
    views: ClassVar[Mapping[str, View]] = {}
    """What a person reads of each table, by the table's name; of others a sensible choice is made."""

    @classmethod
    def view(cls, name: str, table: "pl.DataFrame") -> "pl.DataFrame":
        """Return the few rows and columns of one of its tables that a person reads."""
        return narrow(table, cls.views.get(name))

    @classmethod
    def leading(cls, headlines: Sequence[Headline]) -> Headline:
        """Choose the headline that stands for all of them, where there is room for one."""
        return headlines[0]

    def requires(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the variants of every model (see `VARIANTS`) whose scores it wants as controls."""
        return ()

    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Compute what the tables need of one model; tensors of any shape, by name.

        Runs on a bare machine: nothing but torch, NumPy and SciPy is imported here.
        """
        return {}

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Say why there is nothing to analyse in such a model, or on this corpus; None if there is.

        What the user can only accept, not mend: an experiment goes on without this analysis. The model
        has shapes and no weights (it lies on the meta device), and is never run.
        """
        return None

    def lacks_parts(self, model: AttentionModel, corpus: Corpus) -> Mapping[str, str]:
        """Name parts of the analysis that there is nothing to say in, each with the reason.

        The rest of it is done. Not called where the whole is lacking.
        """
        return {}

    def check(self, corpus: Corpus, measures: Sequence[Spec]) -> None:
        """Raise `UserError` if the configuration must be mended; called before training.

        By default anything will do. Not called where something is lacking.
        """
        return

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the quantities about all texts that `quantities` will yield; known before training."""
        return ()

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the numbers of one model, the only one of this evidence, that others are compared by.

        Runs on a bare machine, like `examine`.
        """
        return iter(())

    @abstractmethod
    def __call__(self, evidence: Evidence) -> Result:
        """Analyse."""


def no_attention(model: AttentionModel) -> str | None:
    """Say that a model has no attention to examine, if so: an answer for `Analysis.lacks`."""
    if not model.attention.scores_states:
        return "the model's attention scores no states"
    return no_readout(model)


def no_readout(model: AttentionModel) -> str | None:
    """Say that a model has no attention that could be replaced in its output, if so."""
    if model.has_readout:
        return None
    return "the model's attention lies in its layers, and its output is not made by one alone"


def no_words(model: AttentionModel) -> str | None:
    """Say that a model reads pieces of words, so that words cannot be put in the place of others."""
    if not model.encoder.reads_pieces:
        return None
    return "the model reads pieces of words, and its texts cannot be rewritten word by word"


ANALYSED = "test"
"""The split that analyses look at."""

UNTRAINED, PERMUTED = "untrained", "permuted"
VARIANTS = (UNTRAINED, PERMUTED)
"""What a model is compared with: itself before training; itself under its own weights, shuffled."""

ANALYSES: Registry[Analysis] = Registry("analysis", "attex.analyses")


def analysis_class(name: str) -> type[Analysis]:
    """Return the class of an analysis; the base of all for one that is not registered (any more)."""
    target = ANALYSES[name].target if name in ANALYSES else None
    return target if isinstance(target, type) and issubclass(target, Analysis) else Analysis
