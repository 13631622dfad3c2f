"""How far attention can be moved while the output stays: models against a model."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from attex.analyses.headline import Headline
from attex.studies.designs import Design, every_combination
from attex.studies.ledger_words import in_order, rival_rows
from attex.studies.parts.frontier import Grid, best, frontier_part
from attex.studies.parts.panels import Panel, panels
from attex.studies.rivals import (
    BASE,
    GRID,
    KINDS,
    OTHER_SEED,
    UNIFORM,
    Kind,
    Levels,
    Weights,
    adversaries,
    asking,
    other_seeds,
    trainer_of,
    uniform,
)
from attex.studies.run_set import RunSet
from attex.studies.study import STUDIES, Answer, Study

CHOICE = "variant"
"""What the study itself sets differently: which model is trained."""

_BOUNDS = (0.0, 0.001, 0.003, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""Mean TVDs at which the bound of the means is drawn."""

Epsilon = Annotated[float, Field(ge=0, le=1)]


@STUDIES.register("frontier", cite="Wiegreffe & Pinter 2019, §4; Meister et al. 2021, App. C.1")
class Frontier(Study):
    """TVD of the output against JSD of the attention, for models that were trained to differ and others.

    The base is a supervised experiment. Of each seed of it are trained: the base; the same with even
    weights; an adversary for each of `weights` (λ, log-spaced by default), which are `free` to have
    states of their own, or `frozen`, with the base's, or both (`adversaries`). `divergence` is what an
    adversary makes large, `jsd` or `kl`. Adversaries are trained as the base is, but for the options of
    trainer `adversarial` that `training` sets, as `{epochs: 80, patience: 10}`.

    On the same axes: other seeds of the base; its own weights, shuffled, and even ones, put in after
    training; per-text adversaries, exact at each of `epsilon` and, with `search`, the published search
    at the first; and for frozen adversaries the exact bound, of every text and of the means.
    """

    title = "Frontier"
    cell_by_cell = True

    def __init__(
        self,
        *,
        weights: Weights = GRID,
        adversaries: tuple[Kind, ...] = ("free", "frozen"),
        divergence: Literal["jsd", "kl"] = "jsd",
        training: dict[str, Any] | None = None,
        epsilon: Annotated[tuple[Epsilon, ...], Field(min_length=1)] = (0.01, 0.05, 0.1),
        search: bool = True,
    ) -> None:
        self.weights, self.kinds, self.divergence = weights, adversaries, divergence
        self.training, self.epsilon, self.search = training or {}, epsilon, search

    def choices(self, base: Mapping[str, Any]) -> Mapping[str, Any]:
        """Bring the base, and all that is held against it."""
        trainer = trainer_of(base, "frontier")
        per_text = {"type": "adversarial", "epsilon": list(self.epsilon), "search": self.search}
        departure = {"type": "departure"}
        levels: Levels = {
            BASE: asking(base, departure | {"bounds": list(_BOUNDS)}, per_text),
            UNIFORM: uniform(base, trainer) | asking(base, departure),
        }
        if len(base["seeds"]) > 1:
            levels[OTHER_SEED] = other_seeds(base, trainer) | asking(base, departure)
        rivals = adversaries(trainer, self.kinds, self.weights, self.divergence, self.training)
        levels |= {name: keys | asking(base, departure) for name, keys in rivals.items()}
        return {CHOICE: levels}

    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Cross all levels."""
        return every_combination(levels, blocks, "a frontier")

    def as_published(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Name the adversaries as their papers do."""
        return in_order(rival_rows(rows, CHOICE, self.weights, self.divergence))

    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Lay out where everything lies, and which adversary went furthest."""
        every = [*panels(runs, CHOICE)]
        part = frontier_part(every, Grid(self.kinds, self.weights, self.epsilon, _BOUNDS))
        return Answer(part.sentences[:3], [part], [*self._headlines(every)])

    def _headlines(self, every: Sequence[Panel]) -> Sequence[Headline]:
        lines = []
        for panel in every:
            for kind in self.kinds:
                level = best(panel, (kind,), self.weights, "development")
                value, low, high = (
                    None if number != number else number for number in panel.of(level or "", "jsd(base)")
                )
                question = f"How far from {panel.name} does an equally good {KINDS[kind]} attend?"
                lines.append(Headline(question, "JSD", value, low, high, chance=None))
        return lines
