"""How far a model is from others, and from itself under other weights: its output, and its attention."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from attex.analyses.analysis import (
    ANALYSED,
    ANALYSES,
    Analysis,
    Evidence,
    Headline,
    Result,
    Subject,
    no_readout,
)
from attex.analyses.pieces import put_together
from attex.analyses.quantity import Quantity, binned_quartiles, mean
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.frontier import LN_2, frontier_chart
from attex.charts.violins import violin_chart
from attex.counterfactual.bound import bound_of_means, frozen_bound, moved_apart
from attex.counterfactual.other_weights import Departure, under_even_weights, under_shuffled_weights
from attex.data.batch import Batch, Batcher, ordered_batches, padded_sizes
from attex.data.corpus import Corpus
from attex.foundations.divergences import distribution
from attex.foundations.progress import track
from attex.foundations.registry import Spec
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

PERMUTED, UNIFORM = "permuted", "uniform"
_WORDS = {PERMUTED: "its own weights, shuffled", UNIFORM: "even weights, put in after training"}
_PADDED_TOKENS = {"cpu": 16_384, "cuda": 131_072}
_HIGHEST, _MIDDLE, _RIGHT, _LIMIT, _LIMITS = "highest", "middle", "right", "limit", "limits"
_GRID = torch.cat([torch.zeros(1), torch.logspace(-5, 0, 61, dtype=torch.float64)]).double()
"""How far the output may have moved, where bounds are worked out: from not at all to all the way."""
_ROUNDING = 1e-9
"""A JSD this much above its bound is not above it."""


@ANALYSES.register("departure", cite="Wiegreffe & Pinter 2019, §§3.2, 4")
class DepartureAnalysis(Analysis):
    """TVD of the outputs and JSD of the attentions: from other models, and under other weights.

    The other models are those that this one was trained with, as the `base` of an adversary, and those
    that it stands beside (`trainer.beside`); where these are several, the mean over them is taken text
    by text, and by the highest weight their median, as Wiegreffe & Pinter do. The other weights are its
    own, shuffled (`draws` times), and even ones, 1/n, put in after training, with their accuracy.

    A model whose states and readout are all those of the other (a frozen adversary) is held against the
    exact bound: JSD ≤ J(TVD + 1e-6) in every text, J being the largest JSD of any attention that moves
    the output so far. `bounds` are mean TVDs for which the same is worked out for means, of any
    attention over this model's states. Both are of two classes and a linear decoder.
    """

    title = "Departure"
    explanation = (
        "TVD is how far the output is from another's, JSD how far the attention is: 0 for the same "
        "weights, ln 2 = 0.693 for weights on other words altogether. A model with the same output and "
        "an attention elsewhere shows that this attention is not the only one that the decision allows."
    )
    views: ClassVar = {
        "departure": View(
            ("from",), ("tvd", "tvd_low", "tvd_high", "jsd", "jsd_low", "jsd_high", "same")
        )
    }
    examines = True
    examines_scores = False
    reads_scores = False
    compares = True

    def __init__(
        self,
        *,
        draws: Annotated[int, Field(ge=1, le=10_000)] = 20,
        bounds: tuple[Annotated[float, Field(ge=0, le=1)], ...] = (),
    ) -> None:
        self.draws = draws
        self.bounds = bounds

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Need an attention that others can stand in for."""
        return no_readout(model)

    @torch.no_grad()
    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Hold the model beside all others, text by text."""
        model = subject.load()
        others = {role: [load() for load in loaders] for role, loaders in subject.load_others.items()}
        binary = model.decoder.linear and len(subject.corpus.classes) == 2
        held = {
            role: binary and len(models) == 1 and _same_states(model, models[0])
            for role, models in others.items()
        }
        pieces = (
            (chosen, self._columns(model, others, held, batch, binary))
            for chosen, batch in _batches(subject, self.title.lower())
        )
        return put_together(pieces, len(subject.texts))

    def _columns(
        self,
        model: AttentionModel,
        others: Mapping[str, Sequence[AttentionModel]],
        held: Mapping[str, bool],
        batch: Batch,
        binary: bool,
    ) -> dict[str, Tensor]:
        columns: dict[str, Tensor] = {}
        known = batch.scorable.any(dim=1)
        trace = model(batch)
        hidden, energies = trace.hidden, trace.energies.double()
        attention, readout = model.weigh(energies, batch), model.readout(hidden, batch)
        columns[_HIGHEST] = attention.amax(dim=1)
        even = under_even_weights(readout, attention, batch.scorable)
        shuffled = under_shuffled_weights(
            readout, attention, batch.scorable, draws=self.draws, ids=batch.ids
        )
        decided = distribution(trace.logits).argmax(dim=1)
        for name, found in ((UNIFORM, even), (PERMUTED, shuffled)):
            columns |= _named(name, found, decided)
            right = distribution(found.logits).argmax(dim=-1) == batch.labels[:, None]
            columns[f"{_RIGHT}|{name}"] = right.double().mean(dim=1)
        for role, models in others.items():
            columns |= self._from_models(model, models, role, batch, decided, held[role])
        if self.bounds and binary:
            limits = [frozen_bound(model, batch, epsilon) for epsilon in _GRID.tolist()]
            columns[_LIMITS] = torch.stack(limits, dim=1)
        return {name: _where(known, values) for name, values in columns.items()}

    def _from_models(
        self,
        model: AttentionModel,
        models: Sequence[AttentionModel],
        role: str,
        batch: Batch,
        decided: Tensor,
        held: bool,
    ) -> dict[str, Tensor]:
        if not models:
            # This seed's model is the only one of its kind: it has nothing to be far from.
            unknown = torch.full((len(batch),), float("nan"), dtype=torch.float64, device=decided.device)
            return {f"{what}|{role}": unknown for what in ("tvd", "jsd", "same", _MIDDLE)}
        apart = [moved_apart(one, model, batch) for one in models]
        tvd, jsd = (torch.stack(column, dim=1) for column in zip(*apart, strict=True))
        logits = torch.stack([one(batch).logits for one in models], dim=1)
        columns = _named(role, Departure(logits, tvd, jsd), decided)
        columns[f"{_MIDDLE}|{role}"] = jsd.quantile(0.5, dim=1)
        if held:
            columns[f"{_LIMIT}|{role}"] = frozen_bound(models[0], batch, tvd[:, 0])
        return columns

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name what every model has: how far it is from itself under other weights."""
        what = ("tvd", "jsd", "same_decision", "accuracy")
        return tuple(f"{one}({name})" for name in (PERMUTED, UNIFORM) for one in what)

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the means of each departure, and of other models quartiles by the highest weight."""
        predicted, classes = evidence.decided[0], evidence.classes

        def found(name: str) -> np.ndarray:
            values: np.ndarray = evidence.stacked(name)[0]
            return values

        for name in _names(evidence):
            yield mean(f"tvd({name})", found(f"tvd|{name}"))
            yield mean(f"jsd({name})", found(f"jsd|{name}"))
            yield mean(f"same_decision({name})", found(f"same|{name}"))
            if f"{_RIGHT}|{name}" in evidence.findings:
                yield mean(f"accuracy({name})", found(f"{_RIGHT}|{name}"))
            if f"{_LIMIT}|{name}" in evidence.findings:
                limit, jsd = found(f"{_LIMIT}|{name}"), found(f"jsd|{name}")
                yield mean(f"jsd_bound({name})", limit)
                beyond = np.where(np.isnan(limit), np.nan, jsd > limit + _ROUNDING)
                yield mean(f"beyond_bound({name})", beyond)
            if f"{_MIDDLE}|{name}" in evidence.findings:
                middle, highest = found(f"{_MIDDLE}|{name}"), found(_HIGHEST)
                yield from binned_quartiles(f"jsd({name})", middle, highest, predicted, classes)
        for moved, most in self._bounds(evidence).items():
            yield Quantity(f"jsd_bound({moved:g})", most)

    def _bounds(self, evidence: Evidence) -> dict[float, float]:
        """Return the largest mean JSD of any attention over the states, by the mean TVD."""
        if _LIMITS not in evidence.findings:
            return {}
        limits = torch.from_numpy(evidence.stacked(_LIMITS)[0])
        limits = limits[~limits.isnan().any(dim=1)]
        found = bound_of_means(limits, _GRID, torch.tensor(self.bounds, dtype=torch.float64))
        return dict(zip(self.bounds, found.tolist(), strict=True))

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out means with their intervals, and draw them on the axes of the frontier."""
        rows = [evidence.about | row for row in _rows(evidence)]
        over_seeds = [row for row in rows if row["seed"] == rows[-1]["seed"]]
        points = [{"kind": _told(row["from"]), "name": row["from"]} | row for row in over_seeds]
        charts = {"departure": frontier_chart(points, "Departure")}
        for name in _names(evidence):
            if f"{_MIDDLE}|{name}" in evidence.findings:
                charts[f"departure_{name}"] = violin_chart(
                    evidence.stacked(f"{_MIDDLE}|{name}"),
                    evidence.stacked(_HIGHEST),
                    evidence.decided,
                    evidence.classes,
                    f"Departure from {_told(name)}",
                    "JSD of the attention",
                    LN_2,
                )
        return Result({"tables/departure": frame(rows)}, charts, [_headline(row) for row in over_seeds])


def _batches(subject: Subject, what: str) -> Iterator[tuple[np.ndarray, Batch]]:
    """Yield all analysed texts in few batches, with their numbers in the split."""
    texts = Batcher(subject.corpus, ANALYSED, subject.device)
    batches = ordered_batches(texts.lengths, _PADDED_TOKENS[subject.device.type], texts.asked)
    for chosen in track(batches, what, len(batches), padded_sizes(texts.lengths, batches)):
        yield chosen, texts.batch(chosen)


def _same_states(one: AttentionModel, other: AttentionModel) -> bool:
    """Say whether two models have the same states and the same readout: all weights but attention's."""
    for step in ("embedding", "encoder", "decoder"):
        here, there = getattr(one, step), getattr(other, step)
        weights, others = here.state_dict(), there.state_dict()
        if type(here) is not type(there) or weights.keys() != others.keys():
            return False
        if not all(torch.equal(weights[name], others[name]) for name in weights):
            return False
    return True


def _named(name: str, found: Departure, decided: Tensor) -> dict[str, Tensor]:
    """Average over draws or models [B,K], text by text."""
    same = distribution(found.logits).argmax(dim=-1) == decided[:, None]
    means = {"tvd": found.tvd, "jsd": found.jsd, "same": same.double()}
    return {f"{what}|{name}": values.mean(dim=1) for what, values in means.items()}


def _where(known: Tensor, values: Tensor) -> Tensor:
    """Leave undefined what a text without a scorable token has not."""
    known = known.reshape(-1, *[1] * (values.ndim - 1))
    return values.double().where(known, float("nan"))


def _names(evidence: Evidence) -> list[str]:
    """Name what the models are held against: other models first."""
    names = sorted(key.partition("|")[2] for key in evidence.findings if key.startswith("tvd|"))
    own = (PERMUTED, UNIFORM)
    return [*(name for name in names if name not in own), *own]


def _told(name: str) -> str:
    return _WORDS.get(name, {"beside": "the model beside it"}.get(name, f"its {name}"))


def _rows(evidence: Evidence) -> Iterator[dict[str, Any]]:
    for seed, members in seed_groups(evidence.numbers):
        for name in _names(evidence):
            row: dict[str, Any] = {"seed": seed, "from": name}
            for what in ("tvd", "jsd", "same"):
                values = evidence.stacked(f"{what}|{name}")[members]
                found = summarise(values, np.ones_like(values, dtype=bool))
                if what == "tvd":
                    row |= {"n": found["n"], "undefined": found["undefined"]}
                row |= {what: found["mean"], f"{what}_low": found["low"], f"{what}_high": found["high"]}
            yield row | {
                "accuracy": _mean(evidence, f"{_RIGHT}|{name}", members),
                "jsd_bound": _mean(evidence, f"{_LIMIT}|{name}", members),
            }


def _mean(evidence: Evidence, finding: str, members: list[int]) -> float:
    """Return the mean of a finding that not every row has."""
    if finding not in evidence.findings:
        return float("nan")
    values = evidence.stacked(finding)[members]
    return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")


def _headline(row: dict[str, Any]) -> Headline:
    question = f"How far is the attention from that of {_told(row['from'])}?"
    if row["from"] in _WORDS:
        question = f"How far does the output move under {_told(row['from'])}?"
        return Headline(question, "TVD", row["tvd"], row["tvd_low"], row["tvd_high"], None)
    return Headline(question, "JSD", row["jsd"], row["jsd_low"], row["jsd_high"], None, LN_2)
