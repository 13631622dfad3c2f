"""What the measures cost, and whether what they estimate has been reached."""

import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from attex.agreement.convergence import rank_agreement_at_half
from attex.analyses.analysis import ANALYSED, ANALYSES, Analysis, Evidence, Headline, Result, Subject
from attex.analyses.quantity import Quantity
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.data.batch import Batcher, like_batches
from attex.foundations.draws import mix
from attex.foundations.progress import track
from attex.foundations.registry import Spec
from attex.importance.attribution import completeness
from attex.importance.measure import MEASURES, Measure, halved, made, share_of_zeros
from attex.importance.scoring import PIECE_TOKENS
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

SECONDS, HALF, GAP, ZEROS = "seconds", "agreement_at_half", "gap", "zeros"


@ANALYSES.register("measures", version=2)
class MeasuresAnalysis(Analysis):
    """What each measure costs, and how near its scores are to what they estimate, on some texts.

    `texts` texts, drawn by a hash of their names, are scored once more: `seconds` is the time for a
    text, on the device and with the threads of the run. `agreement_at_half` is Kendall's τ-b between the
    scores and those with half the steps or samples, of measures that have such; `refined_by` says how
    many. It is undefined where all scores of a text are equal. `zeros` is the share of scores that
    are exactly 0. `gap` is |Σ_t a_t − (F(text) − F(baseline))|, the mean over texts, of measures whose
    scores are the |a_t|; `largest_gap` is that of the worst text. NaN stands where a measure has no such
    number. Times are the only numbers of a run that another run does not repeat.
    """

    title = "What the measures cost, and whether they have converged"
    examines = True
    reads_scores = False
    explanation = (
        "A measure that sums over steps or samples only estimates its scores. If half of them give "
        "another order of the tokens, the order is partly chance, and so is every comparison with it; "
        "more steps or samples take more time. Scores that share out a difference of outputs should sum "
        "to it: the gap says how far they are from that. Kernel SHAP's always do, converged or not."
    )
    views: ClassVar = {
        "measures": View(("measure", "refined_by"), (SECONDS, HALF, ZEROS, GAP, "largest_gap"))
    }

    def __init__(self, *, texts: Annotated[int, Field(ge=1, le=10_000)] = 32) -> None:
        self.texts = texts

    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Score the sample with every measure, with half its samples, and look at the sums."""
        model = subject.load()
        texts = Batcher(subject.corpus, ANALYSED, subject.device)
        order = mix(subject.texts.ids).argsort(stable=True)
        chosen = np.sort(order[: self.texts].numpy())
        cut = like_batches(texts.lengths[chosen], PIECE_TOKENS[subject.device.type])
        batches = [chosen[places] for places in cut]
        found: dict[str, Tensor] = {}
        what = "what the measures cost"
        for spec in track(subject.measures, what, len(subject.measures)):
            measure = made(spec, subject.corpus)
            columns = [_looked_at(spec, measure, model, texts, some) for some in batches]
            for name in columns[0]:
                found[_key(name, spec)] = torch.cat([column[name] for column in columns])
        return found

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name what is known of each measure."""
        return tuple(f"{name}({spec.title})" for spec in measures for name in _known_of(spec))

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the means over the sample, which other samples of all texts do not bound."""
        for spec in evidence.measures:
            for name in _known_of(spec):
                yield Quantity(f"{name}({spec.title})", _mean(evidence.stacked(_key(name, spec))))

    def __call__(self, evidence: Evidence) -> Result:
        """Average over the texts, by seed and over all."""
        rows = [evidence.about | row for spec in evidence.measures for row in _rows(evidence, spec)]
        return Result({"tables/measures": frame(rows)}, headline=[*_headlines(rows)])


def _looked_at(
    spec: Spec, measure: Measure, model: AttentionModel, texts: Batcher, chosen: np.ndarray
) -> dict[str, Tensor]:
    """Return what is found out about some texts: [b] each."""
    batch = texts.batch(chosen)
    # The first call of a process loads and plans what later ones find ready.
    measure(model, texts.batch(chosen[:1])).cpu()
    began = time.perf_counter()
    scores = measure(model, batch)
    scores.cpu()
    seconds = (time.perf_counter() - began) / len(chosen)
    columns = {
        SECONDS: torch.full((len(chosen),), seconds, dtype=torch.float64),
        ZEROS: share_of_zeros(scores),
    }
    agreement = rank_agreement_at_half(spec, model, batch, scores)
    if agreement is not None:
        columns[HALF] = agreement
    if MEASURES[spec.type].facts["signed"] is not None:
        columns[GAP] = completeness(model, batch, spec.type, **spec.options())
    return {name: column.cpu() for name, column in columns.items()}


def _rows(evidence: Evidence, spec: Spec) -> Iterator[dict[str, Any]]:
    def of(name: str) -> np.ndarray:
        known = _key(name, spec) in evidence.findings
        times = evidence.stacked(_key(SECONDS, spec))
        return evidence.stacked(_key(name, spec)) if known else np.full_like(times, np.nan)

    option = MEASURES[spec.type].facts["refined_by"]
    refined_by = "nothing" if option is None else f"{getattr(spec, option)} {option}"
    for seed, members in seed_groups(evidence.numbers):
        seconds, half, zeros, gap = (of(name)[members] for name in (SECONDS, HALF, ZEROS, GAP))
        agreement = summarise(half, np.ones_like(half, dtype=bool))
        yield {
            "measure": spec.title,
            "refined_by": refined_by,
            "seed": seed,
            "n": seconds.size,
            SECONDS: float(seconds.mean()),
            HALF: agreement["mean"],
            f"{HALF}_low": agreement["low"],
            f"{HALF}_high": agreement["high"],
            "undefined": 0 if option is None else agreement["undefined"],
            ZEROS: _mean(zeros),
            GAP: _mean(gap),
            "largest_gap": float(gap.max()),
        }


def _known_of(spec: Spec) -> Iterator[str]:
    """Name the columns that a measure has: not every one is refined, or shares something out."""
    yield from (SECONDS, ZEROS)
    if halved(spec) is not None:
        yield HALF
    if MEASURES[spec.type].facts["signed"] is not None:
        yield GAP


def _mean(values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def _headlines(rows: list[dict[str, Any]]) -> Iterator[Headline]:
    """Name the measure that is furthest from having converged, if there is one that goes in steps."""
    last = {row["measure"]: row for row in rows}.values()
    known = [row for row in last if not np.isnan(row[HALF])]
    if known:
        worst = min(known, key=lambda row: float(row[HALF]))
        yield Headline(
            f"Has the least certain measure, {worst['measure']}, converged (half the samples or steps)?",
            "Kendall's τ-b",
            worst[HALF],
            worst[f"{HALF}_low"],
            worst[f"{HALF}_high"],
            chance=None,
            ceiling=1.0,
        )


def _key(name: str, spec: Spec) -> str:
    return f"{name}|{spec.title}"
