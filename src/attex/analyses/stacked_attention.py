"""What the output owes to the weights inside layers of self-attention, and to their heads."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from attex.agreement.intervals import mean_interval
from attex.analyses.analysis import ANALYSED, ANALYSES, Analysis, Evidence, Headline, Result, Subject
from attex.analyses.quantity import Quantity, mean
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.heads import heads_chart
from attex.counterfactual.stacked import (
    Moved,
    ReadLayer,
    read_layers,
    reads_marker,
    under_even,
    under_permuted,
    without_heads,
)
from attex.data.batch import Batch, Batcher, ordered_batches, padded_sizes
from attex.data.corpus import Corpus
from attex.foundations.draws import mix
from attex.foundations.errors import UserError
from attex.foundations.memory import budget_on, spans
from attex.foundations.progress import steps, track
from attex.foundations.registry import Spec
from attex.importance.stacked import Layer, bytes_of_text
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

PERMUTED, EVEN, ERASED = "permuted", "even", "erased"
CHANGES = (PERMUTED, EVEN, ERASED)
ALL_HEADS, ANY = "all", "any"
_TVD, _FLIPS, _EXAMINED = "tvd|", "flips|", "examined"
_PADDED_TOKENS = {"cpu": 2_048, "cuda": 65_536}


@ANALYSES.register("stacked_attention", cite="Jain & Wallace 2019; Michel et al. 2019")
class StackedAttentionAnalysis(Analysis):
    """Change of the output under other weights inside layers of self-attention, by layer and head.

    `permuted`: the pieces of words change places, alike in all heads and rows; `even`: what a row has
    for them is spread evenly; `erased`: a head gives nothing. What rows have for markers stays where it
    is. All below the layer is fixed, and all above follows. TVD is that of the output from the model's
    own, and `flips` the share of the texts whose decision is another. The row of the head `any` is that
    of a head drawn at random, and `chance` what it comes to.

    In the last layer of a classifier that reads a marker only the marker's row counts. Other rows cost
    a row each there: it is done for all texts, with `draws` permutations each. Elsewhere each change
    costs a pass through the layers above, and is measured on `texts` texts, drawn at random, with one
    permutation each. `layers` (counted from 0) are all unless named; without `heads` each layer is only
    taken as a whole.
    """

    title = "Stacked attention"
    explanation = (
        "Weights inside the layers are shuffled over the words, made even, or set to 0, and everything "
        "else is kept. Where that moves the output no more than for any other head, the weights of "
        "this head are no better an explanation than another's."
    )
    views: ClassVar = {
        "stacked_attention": View(
            ("change", "layer"), ("mean", "low", "high", "flips", "chance"), {"head": ALL_HEADS}
        )
    }
    examines = True
    examines_scores = False
    reads_scores = False

    def __init__(
        self,
        *,
        layers: tuple[Layer, ...] | None = None,
        heads: bool = True,
        draws: Annotated[int, Field(ge=1, le=100_000)] = 20,
        texts: Annotated[int, Field(ge=1, le=10_000_000)] = 200,
    ) -> None:
        self.layers = layers
        self.heads = heads
        self.draws = draws
        self.texts = texts

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Need layers of self-attention, and those that were named."""
        count = model.encoder.layer_count
        if not count:
            return "the model has no layers of self-attention"
        for layer in self.layers or ():
            if layer >= count:
                raise UserError(
                    f"analyses: stacked_attention: there is no layer {layer}; the model has {count}, "
                    "from 0 on"
                )
        return None

    @torch.no_grad()
    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Change the weights of every layer: TVD and flips [N,L,1+H] of each change, NaN if not done."""
        model = subject.load()
        texts = Batcher(subject.corpus, ANALYSED, subject.device)
        sample = _sample(subject.texts.ids, self.texts)
        encoder = model.encoder
        shape = (len(texts), encoder.layer_count, 1 + encoder.heads * self.heads)
        found = {
            prefix + change: torch.full(shape, float("nan"))
            for change in CHANGES
            for prefix in (_TVD, _FLIPS)
        }
        found[_EXAMINED] = torch.zeros(shape[:2])
        for numbers, batch in _batches(model, texts, sample, self.title.lower()):
            for whole in read_layers(model, batch):
                if self.layers is not None and whole.number not in self.layers:
                    continue
                counted, layer = _in_sample(whole, numbers, sample)
                for change, moved in self._changes(layer):
                    for prefix, values in zip((_TVD, _FLIPS), moved, strict=True):
                        found[prefix + change][counted, layer.number] = values.float().cpu()
                found[_EXAMINED][counted, layer.number] = 1.0
        return found

    def _changes(self, layer: ReadLayer) -> Iterator[tuple[str, Moved]]:
        draws = self.draws if layer.weights.shape[2] == 1 else 1
        yield PERMUTED, under_permuted(layer, draws=draws, heads=self.heads)
        yield EVEN, under_even(layer, heads=self.heads)
        yield ERASED, without_heads(layer, heads=self.heads)

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name what the last layer's weights do to the output, and a head drawn at random."""
        single = (_of_any_head(ERASED),) if self.heads else ()
        return (*(_of_last_layer(change) for change in CHANGES), *single)

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the mean TVD of each change of the last layer, and of a head drawn at random."""
        for change in CHANGES:
            tvd, examined = _values(evidence, _TVD, change), evidence.stacked(_EXAMINED) > 0
            last = _examined_layers(examined)[-1]
            yield mean(_of_last_layer(change), tvd[0, :, last, 0], examined[0, :, last])
            if change == ERASED and self.heads:
                random, chosen = _any_head(tvd, examined, slice(1, None))
                yield mean(_of_any_head(change), random[0], chosen[0])

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out what each change of each layer and head does."""
        rows = [evidence.about | row for row in _rows(evidence)]
        shown = [row for row in rows if row["seed"] == rows[-1]["seed"] and row["layer"] != ANY]
        chart = heads_chart(shown, "What the output owes to each head", "mean TVD")
        return Result(
            {"tables/stacked_attention": frame(rows)},
            {"stacked_attention": chart},
            [*_headlines(evidence, rows)],
        )


def _of_last_layer(change: str) -> str:
    return f"last_layer_change({change})"


def _of_any_head(change: str) -> str:
    return f"head_change({change})"


def _sample(ids: Tensor, count: int) -> np.ndarray:
    """Mark so many texts, the same ones in any order of them: ids [N] → [N]."""
    marked = np.zeros(len(ids), dtype=bool)
    marked[mix(ids).argsort().numpy()[:count]] = True
    return marked


def _batches(
    model: AttentionModel, texts: Batcher, sample: np.ndarray, what: str
) -> Iterator[tuple[np.ndarray, Batch]]:
    """Yield texts with their numbers in the split: the sample, or all where they cost little."""
    wanted = np.arange(len(texts)) if reads_marker(model) else np.flatnonzero(sample)
    lengths = texts.lengths[wanted]
    batches = ordered_batches(lengths, _PADDED_TOKENS[texts.device.type])
    sizes = padded_sizes(lengths, batches)
    for chosen in track(batches, what, len(batches), sizes):
        each = bytes_of_text(model.encoder, int(lengths[chosen].max()))
        for span in steps([*spans(len(chosen), each, budget_on(texts.device))]):
            numbers = wanted[chosen[span]]
            yield numbers, texts.batch(numbers)


def _in_sample(
    layer: ReadLayer, numbers: np.ndarray, sample: np.ndarray
) -> tuple[np.ndarray, ReadLayer]:
    """Leave the texts that are examined in this layer, all where a single row of it counts."""
    if layer.weights.shape[2] == 1:
        return numbers, layer
    kept = np.flatnonzero(sample[numbers])
    return numbers[kept], layer.of(torch.from_numpy(kept).to(layer.weights.device))


def _values(evidence: Evidence, prefix: str, change: str) -> np.ndarray:
    """What was found for a change: [S,N,L,1+H] in float64."""
    found: np.ndarray = evidence.stacked(prefix + change).astype(np.float64)
    return found


def _examined_layers(examined: np.ndarray) -> list[int]:
    """Number the layers [S,N,L] that were looked at in any text."""
    return np.flatnonzero(examined.any(axis=(0, 1))).tolist()


def _any_head(values: np.ndarray, examined: np.ndarray, heads: slice) -> tuple[np.ndarray, np.ndarray]:
    """Average over the heads of all layers, in the texts where all were looked at: [S,N] twice."""
    layers = _examined_layers(examined)
    chosen = np.asarray(examined[:, :, layers].all(axis=2))
    return values[:, :, layers, heads].mean(axis=(2, 3)), chosen


def _rows(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """A row for each change of each head of each layer, and one for those drawn at random."""
    examined = evidence.stacked(_EXAMINED) > 0
    for seed, members in seed_groups(evidence.numbers):
        looked_at = examined[members]
        for change in CHANGES:
            tvd, flips = (_values(evidence, prefix, change)[members] for prefix in (_TVD, _FLIPS))
            by_chance = {}
            for name, heads in _drawn(tvd):
                at_random, chosen = _any_head(tvd, looked_at, heads)
                flipped, _ = _any_head(flips, looked_at, heads)
                row = {"seed": seed, "change": change, "layer": ANY, "head": name}
                row |= _summary(at_random, flipped, chosen)
                by_chance[name] = row["mean"]
                yield row | {"chance": row["mean"]}
            for layer in _examined_layers(looked_at):
                chosen = looked_at[:, :, layer]
                for number in range(tvd.shape[-1]):
                    head = ALL_HEADS if number == 0 else str(number - 1)
                    row = {"seed": seed, "change": change, "layer": str(layer), "head": head}
                    row |= _summary(tvd[:, :, layer, number], flips[:, :, layer, number], chosen)
                    yield row | {"chance": by_chance[ALL_HEADS if number == 0 else ANY]}


def _drawn(tvd: np.ndarray) -> Iterator[tuple[str, slice]]:
    """Name what can be drawn at random, a layer or a head of any, and where its values are."""
    yield ALL_HEADS, slice(0, 1)
    if tvd.shape[-1] > 1:
        yield ANY, slice(1, None)


def _summary(tvd: np.ndarray, flips: np.ndarray, chosen: np.ndarray) -> dict[str, Any]:
    """Summarise TVD and flips [S,N] of the texts that were looked at."""
    known = chosen & ~np.isnan(flips)
    low, high = mean_interval(flips, known)
    share = float(flips[known].mean()) if known.any() else float("nan")
    return summarise(tvd, chosen) | {"flips": share, "flips_low": low, "flips_high": high}


def _headlines(evidence: Evidence, rows: Sequence[dict[str, Any]]) -> Iterator[Headline]:
    whole = [row for row in rows if row["change"] == PERMUTED and row["head"] == ALL_HEADS]
    last = [row for row in whole if row["layer"] != ANY][-1]
    question = "How much does the output change when weights inside the last layer are shuffled?"
    yield _headline(question, "mean TVD", last, None)
    tvd = _values(evidence, _TVD, ERASED)
    if tvd.shape[-1] > 1:
        yield _strongest_head(tvd, evidence.stacked(_EXAMINED) > 0)


def _strongest_head(tvd: np.ndarray, examined: np.ndarray) -> Headline:
    """Choose each model's strongest head on every other text, and measure it on the rest.

    On the same texts the largest of many means would lie above chance by itself.
    """
    layers = _examined_layers(examined)
    single = tvd[:, :, layers, 1:].reshape(*tvd.shape[:2], -1)
    counted = examined[:, :, layers].all(axis=2) & ~np.isnan(single).any(axis=2)
    choosing = counted & (counted.cumsum(axis=1) % 2 == 1)
    measured = counted & ~choosing
    sums = single.sum(axis=1, where=choosing[..., None])
    strongest = sums.argmax(axis=1)
    values = np.take_along_axis(single, strongest[:, None, None], axis=2)[..., 0]
    found, chance = summarise(values, measured), single.mean(axis=2)[measured]
    return _headline(
        "Does the output hang on one head?",
        "mean TVD without the strongest head",
        found,
        float(chance.mean()) if chance.size else None,
    )


def _headline(question: str, quantity: str, row: dict[str, Any], chance: float | None) -> Headline:
    """Answer with a number of a row and its interval; NaN is none."""
    value, low, high = (
        None if np.isnan(row[name]) else float(row[name]) for name in ("mean", "low", "high")
    )
    return Headline(question, quantity, value, low, high, chance)
