"""How far the measures agree with each other, text by text."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field
from torch import Tensor

from attex.agreement.statistic import STATISTICS
from attex.analyses.agreement_rows import OVERALL, Comparisons, difference_rows, differences
from attex.analyses.analysis import (
    ANALYSES,
    PERMUTED,
    VARIANTS,
    Analysis,
    Evidence,
    Headline,
    Result,
    Subject,
)
from attex.analyses.measure_pairs import COLUMNS, OF_PIECES, Comparer, support
from attex.analyses.quantity import Quantity, by_class, mean, ratio
from attex.analyses.summary import ALL_SEEDS, frame
from attex.analyses.views import View
from attex.charts.density import density_chart, density_rows
from attex.charts.measure_matrix import MANY, matrix_chart
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.progress import track
from attex.foundations.registry import LATER, Spec
from attex.importance.measure import is_over_states
from attex.models.encoder import Encoder

CHANCE = "chance (shuffled)"
SUPPORT = "support"
CALIBRATED, BEYOND = " calibrated", " beyond permuted"
"""Endings of quantities: the share of the way from chance to ceiling, and what of it permuted attention
does not have."""
MATRIX = "matrix"
BOUNDS = ("null", "ceiling")
"""What lies below a comparison and above it: chance (shuffled), and both measures sorted."""


@ANALYSES.register("agreement", cite="Jain & Wallace 2019, §4.1")
class AgreementAnalysis(Analysis):
    """Agreement of every pair of measures, by predicted class and overall, beside chance and ceiling.

    One value per text, pair and statistic. The table holds their count, undefined values, mean,
    std (ddof 0) and a 95 % bootstrap interval; what shuffled and shifted scores give (`null`,
    `null_shift`, `null_std`), what these scores could reach (`ceiling`) and what is left of it,
    `calibrated` = Σ(value − null)/Σ(ceiling − null) with its interval; the shares of texts that are
    significant (p ≤ 0.05, two-sided: the statistic's own test, else by `draws` shuffles), above and
    below chance, and after Benjamini & Hochberg over all texts; the mean k compared, the mean
    number of attention weights that are not 0, and the controls. Where scores add up pieces of words,
    `null_pieces` is what shuffles among words of equally many pieces give.

    `controls` are the same comparison in the untrained model and under the model's own attention,
    permuted: they show agreement that is built in, and by default are run where it is (an encoder
    that sees one token at a time, or a measure of hidden states); `permuted` is the second alone.
    `drop_ends` leaves the first and the last word of each text out, as Neely & Schouten's code does.
    With `bounds` chance and ceiling are among the numbers of each model that studies gather. From five
    measures on a matrix shows all pairs; charts, headlines and paired differences are then of the pairs
    that the first measure is in.
    """

    title = "Agreement between measures"
    examines = True
    reads_scores = False
    explanation = (
        "One value per text: 1 means that the two measures rank its tokens the same way. Chance "
        "(null) is what the same scores give when those of one measure are shuffled, the ceiling "
        "what they give when both are sorted; calibrated is the share of the way between the two. "
        "A text is undefined where a measure is constant or has fewer than two tokens."
    )
    views: ClassVar = {
        "agreement": View(
            ("statistic", "pair"), ("mean", "low", "high", "null", "ceiling"), {"class": OVERALL}
        ),
        "agreement_by_length": View(("statistic", "pair", "tokens"), ("mean", "low", "high", "null")),
        "agreement_differences": View(("statistic", "pair", "less"), ("mean", "low", "high")),
    }

    def __init__(
        self,
        *,
        statistics: tuple[Annotated[Spec, STATISTICS.choice], ...] = (STATISTICS.spec("kendall_tau"),),
        drop_ends: bool = False,
        draws: Annotated[int, Field(ge=1, le=100_000)] = 999,
        controls: Literal["where_built_in", "always", "permuted", "never"] = "where_built_in",
        bounds: Annotated[bool, LATER] = False,
    ) -> None:
        self.statistics = statistics
        self.drop_ends = drop_ends
        self.draws = draws
        self.controls = controls
        self.bounds = bounds

    def pairs(self, measures: Sequence[Spec]) -> list[tuple[str, str]]:
        """Give the titles of each pair of measures to compare."""
        return [*combinations([measure.title for measure in measures], 2)]

    def requires(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Ask for the controls."""
        if self.controls == PERMUTED:
            return (PERMUTED,)
        built_in = encoder.position_wise or any(map(is_over_states, measures))
        wanted = self.controls == "always" or (built_in and self.controls != "never")
        return VARIANTS if wanted else ()

    def check(self, corpus: Corpus, measures: Sequence[Spec]) -> None:
        """Ask for two measures or more."""
        if len(measures) < 2:
            given = [measure.title for measure in measures]
            raise UserError(f"analysis 'agreement' needs two measures or more, not {given}")

    @classmethod
    def leading(cls, headlines: Sequence[Headline]) -> Headline:
        """Prefer attention and leave-one-out: what is looked at, and what a deletion does."""
        for wanted in (("attention", "leave_one_out"), ("attention",)):
            for headline in headlines:
                if set(wanted) <= set(re.findall(r"[\w\[\]]+", headline.question)):
                    return headline
        return headlines[0]

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name every comparison: as it is, calibrated, and of the controls."""
        variants = self.requires(measures, encoder)
        endings = ["", CALIBRATED, *(f" {variant}" for variant in variants)]
        endings += [BEYOND] if PERMUTED in variants else []
        endings += [f" {bound}" for bound in self._bounds(encoder.reads_pieces)]
        pairs = [_name(spec, pair) for spec in self.statistics for pair in self.pairs(measures)]
        return tuple(pair + ending for pair in pairs for ending in endings)

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield every comparison: as it is, by class too, calibrated, and of the controls."""
        classes, predicted = evidence.classes, evidence.decided[0]
        for spec in self.statistics:
            for pair, compared in self.compared(evidence, spec).items():
                name = _name(spec, pair)
                columns = {column: values[0] for column, values in compared.columns.items()}
                value, null, room = columns["value"], columns["null"], columns["room"]
                yield from by_class(name, value, predicted, classes)
                yield ratio(name + CALIBRATED, value - null, room)
                for variant in VARIANTS:
                    if variant in columns:
                        yield mean(f"{name} {variant}", columns[variant])
                if PERMUTED in columns:
                    yield ratio(name + BEYOND, value - columns[PERMUTED], room)
                for bound in self._bounds(OF_PIECES in columns):
                    known = columns[bound][~np.isnan(value) & ~np.isnan(columns[bound])]
                    average = float(known.mean()) if known.size else float("nan")
                    yield Quantity(f"{name} {bound}", average)

    def _bounds(self, pieces: bool) -> tuple[str, ...]:
        """Name what is told beside every comparison; there is more of words in `pieces`."""
        if not self.bounds:
            return ()
        return (*BOUNDS, OF_PIECES) if pieces else BOUNDS

    def __call__(self, evidence: Evidence) -> Result:
        """Compare every pair of measures under every statistic."""
        rows: dict[str, list[dict[str, Any]]] = {"": [], "_by_length": [], "_differences": []}
        result = Result({})
        for spec in self.statistics:
            pairs = self.compared(evidence, spec)
            measures = [*dict.fromkeys(name for pair in pairs for name in pair)]
            shown = _shown(pairs, measures)
            about = evidence.about | {"statistic": spec.title, "k": _depth(spec)}
            rows["_differences"] += [about | row for row in difference_rows(shown, evidence.numbers)]
            overview, squares = [], []
            for pair, compared in pairs.items():
                of_pair = about | dict(zip(("measure_a", "measure_b"), pair, strict=True))
                these = [*compared.class_rows(evidence.decided, evidence.classes)]
                rows[""] += [of_pair | row for row in these]
                lengths = evidence.texts.lengths.numpy()
                rows["_by_length"] += [of_pair | row for row in compared.length_rows(lengths)]
                name = file_name(f"{'_'.join(pair)}_{spec.title}")
                result.tables[f"correlation/{name}"] = frame(_original_layout(these))
                squares.append(of_pair | _square(these[-1]))
                if pair not in shown:
                    continue
                result.headline.append(_headline(pair, spec, these[-1]))
                # A measure that is the same everywhere, as uniform attention, has nothing to draw.
                if not np.isnan(compared.values).all():
                    overview.append((" ~ ".join(pair), compared, these[-1]))
                    result.charts[name] = self._by_class(evidence, pair, spec, compared, these[-1])
            if overview:
                result.charts[file_name(spec.title)] = _overall(overview, spec)
            if len(shown) < len(pairs):
                result.charts[file_name(f"{MATRIX}_{spec.title}")] = matrix_chart(
                    squares, measures, "Which measures agree?", "texts and seeds", spec.title
                )
            gaps = [
                point
                for first, second, gap in differences(shown)
                for point in density_rows(f"({first}) − ({second})", gap, -2.0, 2.0)
            ]
            if gaps:
                result.charts[file_name(f"differences_{spec.title}")] = density_chart(
                    gaps, "Paired differences", f"difference of {spec.title}", limits=(-2.0, 2.0)
                )
        tables = {f"tables/agreement{name}": frame(some) for name, some in rows.items() if some}
        first = [
            file_name(f"{head}{spec.title}") for spec in self.statistics for head in (f"{MATRIX}_", "")
        ]
        charts = {name: result.charts[name] for name in first if name in result.charts} | result.charts
        return Result(tables | result.tables, charts, result.headline)

    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Compare every pair of measures under every statistic, text by text; of a pair both at once."""
        subject = subject.joined()
        texts = subject.texts
        findings: dict[str, Tensor] = {}
        for spec in self.statistics:
            comparer = Comparer(texts, spec, self.draws, self.drop_ends, subject.device)
            pairs = self.pairs(subject.measures)
            for pair in track(pairs, spec.title, len(pairs)):
                columns = comparer.compare(subject.scores, pair)
                for variant, scores in subject.controls.items():
                    columns[variant] = comparer.values(scores, pair)
                findings |= {_key(spec, pair, name): values for name, values in columns.items()}
        if "attention" in subject.scores:
            findings[SUPPORT] = support(texts, subject.scores["attention"])
        return findings

    def compared(self, evidence: Evidence, spec: Spec) -> dict[tuple[str, str], Comparisons]:
        """Read how every pair compares under a statistic."""

        def columns(pair: tuple[str, str]) -> dict[str, np.ndarray]:
            keys = {column: _key(spec, pair, column) for column in (*COLUMNS, OF_PIECES, *VARIANTS)}
            keys |= {SUPPORT: SUPPORT}
            return {c: evidence.stacked(key) for c, key in keys.items() if key in evidence.findings}

        return {
            pair: Comparisons(evidence.numbers, columns(pair)) for pair in self.pairs(evidence.measures)
        }

    def _by_class(
        self,
        evidence: Evidence,
        pair: tuple[str, str],
        spec: Spec,
        compared: Comparisons,
        overall: dict[str, Any],
    ) -> dict[str, Any]:
        points = [
            point
            for number, label in enumerate(evidence.classes)
            for point in density_rows(label, compared.values[evidence.decided == number])
        ]
        return density_chart(
            points,
            f"{' ~ '.join(pair)}, by predicted class",
            spec.title,
            chance=density_rows(CHANCE, compared.columns["sample"]),
            ceilings={"ceiling": overall["ceiling"]},
        )


def _shown(
    pairs: dict[tuple[str, str], Comparisons], measures: Sequence[str]
) -> dict[tuple[str, str], Comparisons]:
    """Return the pairs that are drawn one by one: of many measures those of the first.

    A matrix has the others, and tables have all: 16 measures make 120 pairs, and 7,140 pairs of pairs.
    """
    if len(measures) < MANY:
        return pairs
    return {pair: compared for pair, compared in pairs.items() if measures[0] in pair}


def _square(row: dict[str, Any]) -> dict[str, float | None]:
    found = {"beyond": row["mean"] - row["null"], "ceiling": row["ceiling"]}
    return {name: None if np.isnan(value) else value for name, value in found.items()}


def _overall(overview: Sequence[tuple[str, Comparisons, dict[str, Any]]], spec: Spec) -> dict[str, Any]:
    """Draw all pairs of measures: their names, comparisons, and rows over all classes."""
    curves = [p for name, compared, _ in overview for p in density_rows(name, compared.values)]
    return density_chart(
        curves,
        "Agreement between measures",
        spec.title,
        chance=density_rows(CHANCE, np.stack([c.columns["sample"] for _, c, _ in overview])),
        ceilings={name: row["ceiling"] for name, _, row in overview},
    )


def _key(spec: Spec, pair: tuple[str, str], column: str) -> str:
    return f"{spec.title}|{'|'.join(pair)}|{column}"


def _name(spec: Spec, pair: tuple[str, str]) -> str:
    return f"{spec.title}({', '.join(pair)})"


def _depth(spec: Spec) -> str:
    return str(spec.options().get("k", ""))


def _headline(pair: tuple[str, str], spec: Spec, row: dict[str, Any]) -> Headline:
    question = f"Do {pair[0]} and {pair[1]} rank tokens alike?"
    numbers = (row[key] for key in ("mean", "low", "high", "null", "ceiling"))
    return Headline(question, spec.title, *numbers)


def _original_layout(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lay rows out as the original repository's `correlation/*.csv`: its columns first, ours after."""
    seeds = {row["seed"] for row in rows}
    kept = [row for row in rows if row["seed"] == ALL_SEEDS or len(seeds) == 1]
    ours = ("n", "undefined", "low", "high", "null", "ceiling", "calibrated")
    return [
        {
            "class": "all_classes" if row["class"] == OVERALL else row["class"],
            "pval_sig": row["significant"],
            "mean": row["mean"],
            "std": row["std"],
            **{key: row[key] for key in ours},
        }
        for row in kept
    ]


def file_name(text: str) -> str:
    """Turn the title of something into the name of its file."""
    return re.sub(r"[^\w.=-]+", "_", text).strip("_")
