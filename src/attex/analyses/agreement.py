"""How far the measures agree with each other, text by text."""

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import torch

from attex.agreement.depth import resolve_depth
from attex.agreement.statistic import STATISTICS, Agreement
from attex.analyses.analysis import ANALYSES, Analysis, Evidence, Headline, Result, SeedEvidence
from attex.analyses.summary import ALL_SEEDS, frame, seed_groups, summarise
from attex.charts.density import density_chart, density_rows
from attex.data.batch import ordered_batches
from attex.data.corpus import Corpus, Split
from attex.data.ragged import pad
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec

SIGNIFICANT = 0.05
OVERALL = "overall"
_SYMMETRIC = frozenset({"kendall_tau", "spearman", "pearson", "weighted_tau", "tau_ap"})
"""Statistics that score unrelated rankings 0 on average; the others' chance is not known here."""

_PADDED_TOKENS = 65_536


@ANALYSES.register("agreement", cite="Jain & Wallace 2019, §4.1")
class AgreementAnalysis(Analysis):
    """Agreement of every pair of measures, by predicted class and overall.

    One value per text, pair and statistic; the table holds their count, undefined values, mean,
    std (ddof 0), a 95 % bootstrap interval of the mean, the share of texts with p ≤ 0.05 (for
    statistics with a p-value) and the mean k that was compared (for statistics that have one).
    `drop_ends` leaves the first and the last word of each text out, as Neely & Schouten's code does.
    """

    title = "Agreement between measures"
    explanation = (
        "One value per text: 1 means that the two measures rank its tokens the same way, 0 that "
        "one ranking says nothing about the other. A text counts as undefined where a measure is "
        "constant or has fewer than two tokens."
    )

    def __init__(
        self,
        *,
        statistics: tuple[Annotated[Spec, STATISTICS.choice], ...] = (STATISTICS.spec("kendall_tau"),),
        drop_ends: bool = False,
    ) -> None:
        self.statistics = statistics
        self.drop_ends = drop_ends

    def check(self, corpus: Corpus, measures: Sequence[str]) -> None:
        """Ask for two measures or more."""
        if len(measures) < 2:
            raise UserError(f"analysis 'agreement' needs two measures or more, not {list(measures)}")

    def __call__(self, evidence: Evidence) -> Result:
        """Compare every pair of measures under every statistic."""
        rows: list[dict[str, Any]] = []
        headline: list[Headline] = []
        tables, charts = {}, {}
        for spec in self.statistics:
            chance = 0.0 if spec.type in _SYMMETRIC else None
            curves: list[dict[str, Any]] = []
            for first, second in combinations(evidence.measures, 2):
                pair = first, second
                compared = [self._compare(evidence.texts, s, pair, spec) for s in evidence.seeds]
                values = np.stack([agreement.value.numpy() for agreement in compared])
                these = _rows(evidence, compared, values)
                labels = {"measure_a": first, "measure_b": second, "statistic": spec.title}
                rows += [evidence.about | labels | row for row in these]
                name = _file_name(f"{first}_{second}_{spec.title}")
                tables[f"correlation/{name}"] = frame(_seed_layout(these))
                curves += density_rows(" ~ ".join(pair), values)
                question = f"Do {first} and {second} rank tokens alike?"
                mean, low, high = (these[-1][key] for key in ("mean", "low", "high"))
                headline.append(Headline(question, spec.title, mean, low, high, chance))
                charts[name] = density_chart(
                    [
                        point
                        for number, label in enumerate(evidence.corpus.classes)
                        for point in density_rows(label, values[_predicted(evidence) == number])
                    ],
                    f"{' ~ '.join(pair)}, by predicted class",
                    spec.title,
                    chance,
                )
            overview = density_chart(curves, "Agreement between measures", spec.title, chance)
            charts = {_file_name(spec.title): overview} | charts
        return Result({"tables/agreement": frame(rows)} | tables, charts, headline)

    def _compare(
        self, texts: Split, seed: SeedEvidence, pair: tuple[str, str], statistic: Spec
    ) -> Agreement:
        compute = STATISTICS[statistic.type].target
        columns = torch.full((3, len(texts)), float("nan"), dtype=torch.float64)
        for chosen in ordered_batches(texts.lengths.numpy(), _PADDED_TOKENS):
            scores = {name: pad(flat, texts.starts, chosen)[0] for name, flat in seed.scores.items()}
            _, mask = pad(texts.words, texts.starts, chosen)
            mask = _without_ends(mask) if self.drop_ends else mask
            a, b = (scores[name] for name in pair)
            options = statistic.options()
            if "k" in options:
                options["k"] = resolve_depth(
                    options["k"],
                    a,
                    b,
                    mask,
                    statistic=statistic.type,
                    attention=scores.get("attention"),
                    lengths=texts.lengths,
                )
            piece = compute(a, b, mask, **options)
            for column, part in zip(columns, (piece.value, piece.p_value, piece.depth), strict=True):
                if part is not None:
                    column[chosen] = part
        return Agreement(*columns)


def _without_ends(mask: torch.Tensor) -> torch.Tensor:
    position = torch.arange(mask.shape[1])
    return (position > 0) & (position < mask.sum(dim=1, keepdim=True) - 1)


def _predicted(evidence: Evidence) -> np.ndarray:
    return np.stack([seed.predicted for seed in evidence.seeds])


def _rows(evidence: Evidence, compared: Sequence[Agreement], values: np.ndarray) -> list[dict[str, Any]]:
    p_values = np.stack([np.asarray(agreement.p_value) for agreement in compared])
    depths = np.stack([np.asarray(agreement.depth) for agreement in compared])
    predicted = _predicted(evidence)
    rows = []
    for seed, members in seed_groups([s.seed for s in evidence.seeds]):
        for name, chosen in [
            *((label, predicted == c) for c, label in enumerate(evidence.corpus.classes)),
            (OVERALL, np.ones_like(predicted, dtype=bool)),
        ]:
            summary = summarise(values[members], chosen[members])
            significant = (p_values[members] <= SIGNIFICANT) & chosen[members]
            # A statistic without a test has no share of significant texts, not a share of 0.
            share = np.nan if np.isnan(p_values).all() else significant.sum() / max(1, summary["n"])
            known = depths[members][chosen[members] & ~np.isnan(depths[members])]
            depth = float(known.mean()) if known.size else float("nan")
            extra = {"significant": float(share), "mean_k": depth}
            rows.append({"seed": seed, "class": name} | summary | extra)
    return rows


def _seed_layout(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lay rows out as the seed's `correlation/*.csv`: its columns first, ours after."""
    seeds = {row["seed"] for row in rows}
    kept = [row for row in rows if row["seed"] == ALL_SEEDS or len(seeds) == 1]
    return [
        {
            "class": "all_classes" if row["class"] == OVERALL else row["class"],
            "pval_sig": row["significant"],
            "mean": row["mean"],
            "std": row["std"],
            **{key: row[key] for key in ("n", "undefined", "low", "high")},
        }
        for row in kept
    ]


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.=-]+", "_", text).strip("_")
