"""What the output owes to the weights inside layers of self-attention, and to their heads."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from attex.analyses.analysis import ANALYSED, ANALYSES, Analysis, Evidence, Headline, Result, Subject
from attex.analyses.quantity import Quantity, mean
from attex.analyses.stacked_findings import (
    ALL_HEADS,
    ANY,
    CHANGES,
    ERASED,
    EXAMINED,
    FLIPS,
    JSD,
    MOST,
    PERMUTED,
    SEARCHED,
    TVD,
    UNIFORM,
    at_random,
    change_rows,
    examined,
    found,
    layers_of,
    search_rows_of,
    strongest_head,
)
from attex.analyses.summary import frame
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
from attex.counterfactual.stacked_search import search_rows
from attex.data.batch import Batch, Batcher, ordered_batches, padded_sizes
from attex.data.corpus import Corpus
from attex.foundations.draws import mix
from attex.foundations.errors import UserError
from attex.foundations.memory import budget_on, spans
from attex.foundations.progress import steps as parts
from attex.foundations.progress import track
from attex.foundations.registry import Spec
from attex.importance.stacked import Layer, bytes_of_text
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

_PADDED_TOKENS = {"cpu": 2_048, "cuda": 65_536}
_SEARCHED_TOKENS = {"cpu": 6_144, "cuda": 65_536}
"""More at a time, since texts share what a step of a search costs whatever their number is."""
_SEARCH = "search"


@ANALYSES.register("stacked_attention", cite="Jain & Wallace 2019; Michel et al. 2019")
class StackedAttentionAnalysis(Analysis):
    """Change of the output under other weights inside layers of self-attention, by layer and head.

    `permuted`: the pieces of words change places, alike in all heads and rows; `uniform`: what a row
    has for them is spread evenly; `erased`: a head gives nothing. What rows have for markers stays
    where it is. All below the layer is fixed, and all above follows. TVD is that of the output from the
    model's own, and `flips` the share of the texts whose decision is another. The row of the head `any`
    is that of a head drawn at random, and `chance` what it comes to.

    In the last layer of a classifier that reads a marker only the marker's row counts. Other weights
    cost one position there: it is done for all texts, with `draws` permutations each. Elsewhere each
    change costs a pass through the layers above, and is measured on `texts` texts, drawn at random, with
    one permutation each. `layers` (counted from 0) are all unless named; without `heads` each layer is
    only taken as a whole.

    With `search` those texts have the marker's rows searched for that differ most while the output moves
    by at most `epsilon`: the largest JSD of `candidates` rows in `steps` steps, the mean over heads, and
    its ratio to the largest that any weights have.
    """

    title = "Stacked attention"
    explanation = (
        "Weights inside the layers are shuffled over the words, made even, or set to 0, and everything "
        "else is kept. Where that moves the output no more than for a head drawn at random, the weights "
        "of this head say no more about the decision than another's. The ratio is that of the largest "
        "JSD within ε to the largest that any weights have."
    )
    views: ClassVar = {
        "stacked_attention": View(
            ("change", "layer"), ("mean", "low", "high", "flips", "chance"), {"head": ALL_HEADS}
        ),
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
        search: bool = True,
        epsilon: Annotated[float, Field(gt=0, le=1)] = 0.01,
        steps: Annotated[int, Field(ge=0, le=1_000_000)] = 500,
        candidates: Annotated[int, Field(ge=1, le=1000)] = 5,
    ) -> None:
        self.layers = layers
        self.heads = heads
        self.draws = draws
        self.texts = texts
        self.search = search
        self.epsilon = epsilon
        self._climb = {"steps": steps, "candidates": candidates}

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

    def lacks_parts(self, model: AttentionModel, corpus: Corpus) -> dict[str, str]:
        """Leave the search out where not one row alone is read."""
        if not self.search or self._searches(model):
            return {}
        why = "rows are searched for in the last layer of a classifier that reads a marker only"
        return {_SEARCH: why}

    def _searches(self, model: AttentionModel) -> bool:
        return self.search and reads_marker(model) and self._takes(model.encoder.layer_count - 1)

    def _takes(self, layer: int) -> bool:
        return self.layers is None or layer in self.layers

    @torch.no_grad()
    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Change the weights of every layer: TVD and flips [N,L,1+H] of each change, NaN if not done."""
        model = subject.load()
        texts = Batcher(subject.corpus, ANALYSED, subject.device)
        sample = _sample(subject.texts.ids, self.texts)
        kept = self._nothing_yet(model, len(texts))
        reads_row = reads_marker(model) and self._takes(model.encoder.layer_count - 1)
        # One row costs so little that all texts can be looked at; else the sample is enough.
        wanted = np.arange(len(texts)) if reads_row else np.flatnonzero(sample)
        for numbers, batch in _batches(model, texts, wanted, _PADDED_TOKENS, self.title.lower()):
            sampled = np.flatnonzero(sample[numbers])
            for layer in read_layers(model, batch):
                if not self._takes(layer.number):
                    continue
                if layer.weights.shape[2] == 1:
                    self._change(kept, numbers, layer)
                elif len(sampled):
                    few = layer.of(torch.from_numpy(sampled).to(texts.device))
                    self._change(kept, numbers[sampled], few)
        if self._searches(model):
            wanted = np.flatnonzero(sample)
            for numbers, batch in _batches(model, texts, wanted, _SEARCHED_TOKENS, "searched rows"):
                *_, last = read_layers(model, batch)
                self._search(kept, numbers, last)
        return kept

    def _nothing_yet(self, model: AttentionModel, texts: int) -> dict[str, Tensor]:
        layers, heads = model.encoder.layer_count, model.encoder.heads * self.heads
        names = [prefix + change for change in CHANGES for prefix in (TVD, FLIPS)]
        kept = {name: torch.full((texts, layers, 1 + heads), float("nan")) for name in names}
        kept[EXAMINED] = torch.zeros(texts, layers)
        if self._searches(model):
            kept |= {name: torch.full((texts,), float("nan")) for name in (JSD, MOST)}
            kept[SEARCHED] = torch.zeros(texts)
        return kept

    def _change(self, kept: dict[str, Tensor], numbers: np.ndarray, layer: ReadLayer) -> None:
        draws = self.draws if layer.weights.shape[2] == 1 else 1
        changes: dict[str, Moved] = {
            PERMUTED: under_permuted(layer, draws=draws, heads=self.heads),
            UNIFORM: under_even(layer, heads=self.heads),
            ERASED: without_heads(layer, heads=self.heads),
        }
        for change, moved in changes.items():
            kept[TVD + change][numbers, layer.number] = moved.tvd.float().cpu()
            kept[FLIPS + change][numbers, layer.number] = moved.flips.float().cpu()
        kept[EXAMINED][numbers, layer.number] = 1.0

    def _search(self, kept: dict[str, Tensor], numbers: np.ndarray, layer: ReadLayer) -> None:
        searched = search_rows(layer, epsilon=self.epsilon, **self._climb)
        kept[JSD][numbers] = searched.jsd.float().cpu()
        kept[MOST][numbers] = searched.most.float().cpu()
        kept[SEARCHED][numbers] = 1.0

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name what the weights of the last layer do to the output, and what a head does."""
        single = (_of_any_head(ERASED),) if self.heads else ()
        return (*(_of_last_layer(change) for change in CHANGES), *single)

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the mean TVD of each change of the last layer, and of erasing a head at random."""
        looked_at = examined(evidence)
        last = layers_of(looked_at)[-1]
        for change in CHANGES:
            tvd = found(evidence, TVD, change)
            yield mean(_of_last_layer(change), tvd[0, :, last, 0], looked_at[0, :, last])
            if change == ERASED and self.heads:
                values, chosen = at_random(tvd, looked_at, slice(1, None))
                yield mean(_of_any_head(change), values[0], chosen[0])

    def __call__(self, evidence: Evidence) -> Result:
        """Lay out what each change of each layer and head does."""
        rows = [evidence.about | row for row in change_rows(evidence)]
        tables = {"tables/stacked_attention": frame(rows)}
        pooled = [row for row in rows if row["seed"] == rows[-1]["seed"] and row["layer"] != ANY]
        chart = heads_chart(pooled, "What the output owes to each head", "mean TVD")
        headlines = [*self._headlines(evidence, pooled)]
        if JSD in evidence.findings:
            searched = [evidence.about | row for row in search_rows_of(evidence, self.epsilon)]
            tables["tables/stacked_attention_search"] = frame(searched)
            question = "How different may the last layer's weights be while the output stays?"
            quantity = f"JSD at ε = {self.epsilon:g}, of the largest possible"
            headlines.append(_headline(question, quantity, searched[-1], "ratio", ceiling=1.0))
        return Result(tables, {"stacked_attention": chart}, headlines)

    def _headlines(self, evidence: Evidence, rows: Sequence[dict[str, Any]]) -> Iterator[Headline]:
        whole = [row for row in rows if row["change"] == PERMUTED and row["head"] == ALL_HEADS]
        question = "How much does the output change when weights inside the last layer are shuffled?"
        yield _headline(question, "mean TVD", whole[-1])
        if self.heads:
            row, chance = strongest_head(evidence, ERASED)
            question = "Does the output hang on one head?"
            yield _headline(question, "mean TVD without the strongest head", row, chance=chance)


def _of_last_layer(change: str) -> str:
    return f"last_layer_change({change})"


def _of_any_head(change: str) -> str:
    return f"head_change({change})"


def _headline(
    question: str,
    quantity: str,
    row: dict[str, Any],
    number: str = "mean",
    chance: float | None = None,
    ceiling: float | None = None,
) -> Headline:
    """Answer with a number of a row and its interval, if it is known."""
    ends = ("low", "high") if number == "mean" else (f"{number}_low", f"{number}_high")
    value, low, high = (None if np.isnan(row[n]) else float(row[n]) for n in (number, *ends))
    return Headline(question, quantity, value, low, high, chance, ceiling)


def _sample(ids: Tensor, count: int) -> np.ndarray:
    """Mark so many texts, the same ones in any order of them: ids [N] → [N]."""
    marked = np.zeros(len(ids), dtype=bool)
    marked[mix(ids).argsort().numpy()[:count]] = True
    return marked


def _batches(
    model: AttentionModel,
    texts: Batcher,
    wanted: np.ndarray,
    tokens: Mapping[str, int],
    what: str,
) -> Iterator[tuple[np.ndarray, Batch]]:
    """Yield the wanted texts with their numbers in the split, as many at a time as memory allows.

    `tokens` is how many there are to be at a time, by the kind of device.
    """
    lengths = texts.lengths[wanted]
    batches = ordered_batches(lengths, tokens[texts.device.type])
    for chosen in track(batches, what, len(batches), padded_sizes(lengths, batches)):
        each = bytes_of_text(model.encoder, int(lengths[chosen].max()))
        for span in parts([*spans(len(chosen), each, budget_on(texts.device))]):
            numbers = wanted[chosen[span]]
            yield numbers, texts.batch(numbers)
