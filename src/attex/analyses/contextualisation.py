"""Attention against the importance of inputs, and against that of hidden states."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from attex.agreement.statistic import STATISTICS
from attex.analyses.agreement import AgreementAnalysis, file_name
from attex.analyses.agreement_rows import OVERALL, Comparisons
from attex.analyses.analysis import ANALYSES, PERMUTED, UNTRAINED, Evidence, Headline, Result
from attex.analyses.summary import ALL_SEEDS, frame, seed_groups, summarise
from attex.charts.ranges import range_chart
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec

INPUTS, STATES = "inputs", "hidden states"
_HIDDEN = "[hidden]"
_ATTENTION = "attention"


@ANALYSES.register("contextualisation", cite="Meister et al. 2021, Table 6")
class ContextualisationAnalysis(AgreementAnalysis):
    """Agreement of attention with importance of inputs, and with the same importance of hidden states.

    Every measure is compared with attention; `over` says whether it is one of tokens or of states.
    The columns are those of `agreement`, by default with both controls: attention is a factor of every
    gradient and deletion of a hidden state, so that an untrained model agrees with itself, too, and
    so does a model under its own attention, permuted. `contextualisation_differences` has, text by
    text, states less inputs of the same measure, and each agreement less that of its controls.
    """

    title = "Contextualisation"
    explanation = (
        "If hidden states stood for their tokens, attention would agree with the importance of inputs "
        "as it does with that of states. But much of the latter is arithmetic: a state's gradient has "
        "its weight as a factor. The untrained model, and permuted attention, show how much."
    )

    def __init__(
        self,
        *,
        statistics: tuple[Annotated[Spec, STATISTICS.choice], ...] = (STATISTICS.spec("kendall_tau"),),
        draws: Annotated[int, Field(ge=1, le=100_000)] = 999,
        controls: Literal["always", "never"] = "always",
    ) -> None:
        super().__init__(statistics=statistics, draws=draws, controls=controls)

    def pairs(self, measures: Sequence[str]) -> list[tuple[str, str]]:
        """Compare attention with each other measure."""
        return [(_ATTENTION, measure) for measure in measures if measure != _ATTENTION]

    def check(self, corpus: Corpus, measures: Sequence[str]) -> None:
        """Ask for attention, and for a measure of inputs and of states."""
        others = [measure for measure in measures if measure != _ATTENTION]
        hidden = [measure for measure in others if _HIDDEN in measure]
        if _ATTENTION not in measures or not hidden or len(hidden) == len(others):
            raise UserError(
                "analysis 'contextualisation' needs attention, a measure of inputs and one of hidden "
                f"states (such as gradient_norm and gradient_norm[hidden]), not {list(measures)}"
            )

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out every comparison beside its controls."""
        rows, gaps, charts, headlines = [], [], {}, []
        for spec in self.statistics:
            pairs = self.compared(evidence, spec)
            about = evidence.about | {"statistic": spec.title, "k": str(spec.options().get("k", ""))}
            predicted = np.stack([seed.predicted for seed in evidence.seeds])
            of_spec = []
            for (first, second), found in pairs.items():
                of_pair = about | {"measure_a": first, "measure_b": second, "over": _over(second)}
                these = found.class_rows(predicted, evidence.corpus.classes)
                of_spec += [of_pair | row for row in these]
            rows += of_spec
            gaps += [about | row for row in _gaps(pairs)]
            pooled = _pooled(of_spec)
            charts[file_name(f"contextualisation_{spec.title}")] = range_chart(
                [_point(row) for row in pooled],
                "Attention against importance of inputs and of hidden states",
                spec.title,
            )
            headlines += [_headline(row) for row in pooled]
        tables = {
            "tables/contextualisation": frame(rows),
            "tables/contextualisation_differences": frame(gaps),
        }
        return Result({n: t for n, t in tables.items() if not t.is_empty()}, charts, headlines)


def _over(measure: str) -> str:
    return STATES if _HIDDEN in measure else INPUTS


def _gaps(pairs: dict[tuple[str, str], Comparisons]) -> Iterator[dict[str, Any]]:
    """Subtract inputs from states, and the controls from each, text by text."""
    for pair, found in pairs.items():
        measure = pair[1]
        of_inputs = pairs.get((pair[0], measure.replace(_HIDDEN, "")))
        others = {name: found.columns[name] for name in (UNTRAINED, PERMUTED) if name in found.columns}
        if of_inputs is not None and _HIDDEN in measure:
            others[INPUTS] = of_inputs.values
        for less, values in others.items():
            gap = found.values - values
            for seed, members in seed_groups(found.seeds):
                chosen = np.ones_like(gap[members], dtype=bool)
                about = {"measure": measure, "over": _over(measure), "less": less, "seed": seed}
                yield about | summarise(gap[members], chosen)


def _pooled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    overall = [row for row in rows if row["class"] == OVERALL]
    several = any(row["seed"] == ALL_SEEDS for row in overall)
    return [row for row in overall if not several or row["seed"] == ALL_SEEDS]


def _point(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": row["measure_b"].replace(_HIDDEN, ""),
        "group": row["over"],
        "value": row["mean"],
        "low": row["low"],
        "high": row["high"],
        "marks": {"chance": row["null"]}
        | {name: row[name] for name in ("ceiling", UNTRAINED, PERMUTED)},
    }


def _headline(row: dict[str, Any]) -> Headline:
    question = f"Does attention agree with {row['measure_b']}?"
    numbers = (row[key] for key in ("mean", "low", "high", "null", "ceiling"))
    return Headline(question, row["statistic"], *numbers)
