"""How different attention could have been while the output stayed the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError
from torch import Tensor

from attex.agreement.intervals import ratio_interval
from attex.analyses.analysis import (
    ANALYSES,
    Analysis,
    Evidence,
    Headline,
    Result,
    Subject,
    no_attention,
)
from attex.analyses.pieces import put_together
from attex.analyses.quantity import Quantity, binned_medians, by_class
from attex.analyses.readings import Reading, readings, token_logits
from attex.analyses.summary import frame, seed_groups, summarise
from attex.analyses.views import View
from attex.charts.density import density_chart, density_rows
from attex.charts.violins import violin_chart
from attex.counterfactual.exact import adversarial_exact
from attex.counterfactual.search import adversarial_search
from attex.data.corpus import Corpus
from attex.foundations.registry import Spec
from attex.models.classifier import AttentionModel
from attex.models.encoder import Encoder

_NEAR = 0.99
"""A search that reaches this share of the maximum has not stopped short."""


def _several(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else (value,)


def _some(values: tuple[float, ...]) -> tuple[float, ...]:
    if not values:
        raise PydanticCustomError("no_epsilon", "should have one ε at least")
    return values


_EPSILON = {"type": "number", "minimum": 0, "maximum": 1}
Epsilons = Annotated[
    tuple[Annotated[float, Field(ge=0, le=1)], ...],
    BeforeValidator(_several),
    AfterValidator(_some),
    WithJsonSchema({"anyOf": [_EPSILON, {"type": "array", "items": _EPSILON, "minItems": 1}]}),
]
"""One ε or several, as an option."""


EXACT, SEARCH = "exact", "search"
_HIGHEST, _UNBOUNDED = "highest", "unbounded"


@dataclass(frozen=True)
class _Method:
    """A way to find an adversary, and how far it may move the output."""

    name: str
    epsilon: float

    @property
    def key(self) -> str:
        """The name of its finding."""
        return f"{self.name}|{self.epsilon:g}"

    @property
    def quantity(self) -> str:
        """The name of its mean."""
        return (
            f"jsd_max({self.name})" if self.name == SEARCH else f"jsd_max({self.name}, {self.epsilon:g})"
        )

    @property
    def words(self) -> str:
        """Its name in a figure."""
        return f"{self.name}, ε = {self.epsilon:g}"


@ANALYSES.register("adversarial", cite="Jain & Wallace 2019, §4.2.2")
class AdversarialAnalysis(Analysis):
    """The largest JSD between the attention and any other that moves the output by at most ε.

    `exact` is the maximum itself (two classes and a linear decoder), at every ε; `search` the
    published one, 500 steps of Adam on five candidates, at the first ε: a lower bound. The table
    has mean, std and interval, the ratio to what could be reached without any bound on the output,
    and of the search the share of the exact maximum it reaches and of the texts where it comes
    within 1 % of it. `as_released` takes the constants of the released code (cross term, L1,
    candidates accepted up to 0.05, last iterate).
    """

    title = "Adversarial attention"
    explanation = (
        "Hidden states are fixed, and the weights may be anything that moves the output by at most "
        "ε. JSD is 0 for the same weights and ln 2 = 0.693 for weights on other words altogether. "
        "Long texts nearly always allow that, so that models are not to be ranked by it; the ratio "
        "is to the largest JSD that any weights have."
    )
    views: ClassVar = {
        "adversarial": View(("method", "epsilon"), ("mean", "low", "high", "ratio", "reached"))
    }
    examines = True
    examines_scores = False
    reads_scores = False

    def __init__(
        self,
        *,
        epsilon: Epsilons = (0.01, 0.05, 0.1),
        search: bool = True,
        steps: Annotated[int, Field(ge=0, le=1_000_000)] = 500,
        candidates: Annotated[int, Field(ge=1, le=1000)] = 5,
        lr: Annotated[float, Field(gt=0)] = 0.01,
        penalty: Annotated[float, Field(ge=0)] = 500.0,
        as_released: bool = False,
    ) -> None:
        self.epsilons = epsilon
        self.search = search
        self._options: dict[str, Any] = {
            "steps": steps,
            "candidates": candidates,
            "lr": lr,
            "penalty": penalty,
        }
        if as_released:
            self._options |= {"cross": "released", "distance": "l1", "accept": 0.05}
            self._options |= {"keep": "last", "patience": None}

    def lacks(self, model: AttentionModel, corpus: Corpus) -> str | None:
        """Need an attention that scores states; without the search, what the maximum is known for."""
        if not self.search and not _exact_is_known(model, corpus):
            return "the exact maximum is of two classes and a linear decoder, and the search is off"
        return no_attention(model)

    def lacks_parts(self, model: AttentionModel, corpus: Corpus) -> dict[str, str]:
        """Leave the search to itself where the maximum is not known."""
        if _exact_is_known(model, corpus):
            return {}
        return {EXACT: "the maximum is known of two classes and a linear decoder only"}

    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Find the adversaries of every text."""
        pieces = ((part.texts, self._columns(part)) for part in readings(subject, self.title.lower()))
        return put_together(pieces, len(subject.texts))

    def _columns(self, part: Reading) -> dict[str, Tensor]:
        columns = {_HIGHEST: part.attention.amax(dim=1)}
        single = token_logits(part)
        if single is not None:
            logits, bias = single
            columns[_UNBOUNDED] = adversarial_exact(logits, part.attention, part.mask, bias, 1.0)[0]
            for epsilon in self.epsilons:
                jsd, _ = adversarial_exact(logits, part.attention, part.mask, bias, epsilon)
                columns[_Method(EXACT, epsilon).key] = jsd
        if self.search:
            epsilon = self.epsilons[0]
            jsd, _ = adversarial_search(
                part.readout, part.attention, part.mask, epsilon=epsilon, ids=part.ids, **self._options
            )
            columns[_Method(SEARCH, epsilon).key] = jsd
        return columns

    def offers(self, measures: Sequence[Spec], encoder: type[Encoder]) -> tuple[str, ...]:
        """Name the mean of the search, which is there for every model."""
        return (_Method(SEARCH, self.epsilons[0]).quantity,) if self.search else ()

    def quantities(self, evidence: Evidence) -> Iterator[Quantity]:
        """Yield the means by method and ε; of the search also medians by bin of the highest weight."""
        predicted, classes = evidence.decided[0], evidence.classes
        for method, largest in self._largest(evidence).items():
            yield from by_class(method.quantity, largest[0], predicted, classes)
            if method.name == SEARCH:
                highest = evidence.stacked(_HIGHEST)[0]
                yield from binned_medians(method.quantity, largest[0], highest, predicted, classes)

    def _largest(self, evidence: Evidence) -> dict[_Method, np.ndarray]:
        every = [_Method(name, epsilon) for name in (EXACT, SEARCH) for epsilon in self.epsilons]
        return {m: evidence.stacked(m.key) for m in every if m.key in evidence.findings}

    def __call__(self, evidence: Evidence) -> Result:
        """Lay the largest divergences out by method and ε."""
        largest = self._largest(evidence)
        rows = [evidence.about | row for row in _rows(evidence, largest)]
        limit = float(np.log(2))
        charts = {
            "adversarial": density_chart(
                [p for m, jsd in largest.items() for p in density_rows(m.words, jsd, 0.0, limit)],
                "Adversarial attention",
                "largest JSD within ε",
                limits=(0.0, limit),
            )
        }
        for method, jsd in largest.items():
            if method.epsilon == self.epsilons[0]:
                charts[f"adversarial_{method.name}"] = violin_chart(
                    jsd,
                    evidence.stacked(_HIGHEST),
                    evidence.decided,
                    evidence.classes,
                    f"Adversarial attention: {method.words}",
                    "largest JSD within ε",
                    limit,
                )
        return Result({"tables/adversarial": frame(rows)}, charts, _headline(rows))


def _exact_is_known(model: AttentionModel, corpus: Corpus) -> bool:
    return model.decoder.linear and len(corpus.classes) == 2


def _rows(evidence: Evidence, largest: dict[_Method, np.ndarray]) -> Iterator[dict[str, Any]]:
    unbounded = evidence.stacked(_UNBOUNDED) if _UNBOUNDED in evidence.findings else None
    for seed, members in seed_groups(evidence.numbers):
        for method, values in largest.items():
            jsd = values[members]
            row: dict[str, Any] = {"seed": seed, "method": method.name, "epsilon": method.epsilon}
            row |= summarise(jsd, np.ones_like(jsd, dtype=bool))
            row |= _ratio("ratio", jsd, None if unbounded is None else unbounded[members])
            exact = largest.get(_Method(EXACT, method.epsilon)) if method.name == SEARCH else None
            row |= _ratio("reached", jsd, None if exact is None else exact[members])
            near = np.nan if exact is None else float(np.nanmean(jsd >= _NEAR * exact[members]))
            yield row | {"within_1_percent": near}


def _ratio(name: str, jsd: np.ndarray, most: np.ndarray | None) -> dict[str, float]:
    """Return Σ jsd / Σ most with its interval; NaN where there is nothing to compare with."""
    if most is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), float("nan"))
    known = ~np.isnan(jsd)
    above, below = np.where(known, jsd, 0.0), np.where(known, most, 0.0)
    low, high = ratio_interval(above, below)
    value = float(above.sum() / below.sum()) if below.sum() else float("nan")
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _headline(rows: list[dict[str, Any]]) -> list[Headline]:
    last = {row["method"]: row for row in rows if row["epsilon"] == rows[0]["epsilon"]}
    lines = []
    if EXACT in last and not np.isnan(last[EXACT]["ratio"]):
        value, low, high = (last[EXACT][f"ratio{end}"] for end in ("", "_low", "_high"))
        quantity = f"JSD at ε = {last[EXACT]['epsilon']:g}, of the largest possible"
        question = "How different may attention be while the output stays?"
        lines.append(Headline(question, quantity, value, low, high, None, 1.0))
    if SEARCH in last and not np.isnan(last[SEARCH]["reached"]):
        value, low, high = (last[SEARCH][f"reached{end}"] for end in ("", "_low", "_high"))
        question = "How much of that does the published search find?"
        lines.append(Headline(question, "JSD, of the exact maximum", value, low, high, None, 1.0))
    return lines
