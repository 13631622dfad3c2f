"""How different attention could have been while the output stayed the same."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np
import torch
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError
from torch import Tensor

from attex.agreement.intervals import ratio_interval
from attex.analyses.analysis import ANALYSES, Analysis, Evidence, Headline, Result, Subject
from attex.analyses.readings import Reading, readings
from attex.analyses.summary import frame, seed_groups, summarise
from attex.charts.density import density_chart, density_rows
from attex.charts.violins import violin_chart
from attex.counterfactual.exact import adversarial_exact
from attex.counterfactual.search import adversarial_search
from attex.data.corpus import Corpus

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

    def check(self, corpus: Corpus, measures: Sequence[str]) -> None:
        """Suffice with anything: more than two classes have the search only."""

    def examine(self, subject: Subject) -> dict[str, Tensor]:
        """Find the adversaries of every text."""
        found: dict[str, Tensor] = {}
        for part in readings(subject):
            for name, values in self._part(part).items():
                whole = found.setdefault(name, torch.full((len(subject.texts),), torch.nan).double())
                whole[part.texts] = values.cpu()
        return found

    def _part(self, part: Reading) -> dict[str, Tensor]:
        found = {"highest": part.attention.amax(dim=1)}
        single = _token_logits(part)
        if single is not None:
            logits, bias = single
            found["unbounded"] = adversarial_exact(logits, part.attention, part.mask, bias, 1.0)[0]
            for epsilon in self.epsilons:
                jsd, _ = adversarial_exact(logits, part.attention, part.mask, bias, epsilon)
                found[f"exact|{epsilon:g}"] = jsd
        if self.search:
            epsilon = self.epsilons[0]
            jsd, _ = adversarial_search(
                part.readout, part.attention, part.mask, epsilon=epsilon, ids=part.ids, **self._options
            )
            found[f"search|{epsilon:g}"] = jsd
        return found

    def __call__(self, evidence: Evidence) -> Result:
        """Lay the largest divergences out by method and ε."""
        # Files keep names in the order of the alphabet; these are in the order that was asked for.
        asked = [f"exact|{e:g}" for e in self.epsilons] + [f"search|{e:g}" for e in self.epsilons]
        names = [n for n in ("highest", "unbounded", *asked) if n in evidence.seeds[0].findings]
        columns = {
            name: np.stack([seed.findings[name].numpy() for seed in evidence.seeds]) for name in names
        }
        rows = [evidence.about | row for row in _rows(evidence, columns)]
        predicted = np.stack([seed.predicted for seed in evidence.seeds])
        shown = [name for name in names if "|" in name]
        limit = float(np.log(2))
        charts = {
            "adversarial": density_chart(
                [p for name in shown for p in density_rows(_words(name), columns[name], 0.0, limit)],
                "Adversarial attention",
                "largest JSD within ε",
                limits=(0.0, limit),
            )
        }
        for name in shown:
            if name.endswith(f"|{self.epsilons[0]:g}"):
                charts[f"adversarial_{name.partition('|')[0]}"] = violin_chart(
                    columns[name],
                    columns["highest"],
                    predicted,
                    evidence.corpus.classes,
                    f"Adversarial attention: {_words(name)}",
                    "largest JSD within ε",
                    limit,
                )
        return Result({"tables/adversarial": frame(rows)}, charts, _headline(rows))


@torch.no_grad()
def _token_logits(part: Reading) -> tuple[Tensor, float] | None:
    """Return the token logits [B,T] and the bias of a binary linear readout, if it is one."""
    values, readout = part.readout.values, part.readout
    if not readout.linear or values.shape[-1] > 2:
        return None
    bias = readout.head(torch.zeros(values.shape[-1], dtype=values.dtype, device=values.device))
    if values.shape[-1] == 1:
        return values[..., 0], float(bias[0])
    return values[..., 1] - values[..., 0], float(bias[1] - bias[0])


def _rows(evidence: Evidence, columns: dict[str, np.ndarray]) -> Iterator[dict[str, Any]]:
    unbounded = columns.get("unbounded")
    for seed, members in seed_groups([s.seed for s in evidence.seeds]):
        for name in columns:
            method, _, epsilon = name.partition("|")
            if not epsilon:
                continue
            jsd = columns[name][members]
            row: dict[str, Any] = {"seed": seed, "method": method, "epsilon": float(epsilon)}
            row |= summarise(jsd, np.ones_like(jsd, dtype=bool))
            most = None if unbounded is None else unbounded[members]
            row |= _ratio("ratio", jsd, most)
            exact = columns.get(f"exact|{epsilon}") if method == "search" else None
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
    if "exact" in last and not np.isnan(last["exact"]["ratio"]):
        value, low, high = (last["exact"][f"ratio{end}"] for end in ("", "_low", "_high"))
        quantity = f"JSD at ε = {last['exact']['epsilon']:g}, of the largest possible"
        question = "How different may attention be while the output stays?"
        lines.append(Headline(question, quantity, value, low, high, None, 1.0))
    if "search" in last and not np.isnan(last["search"]["reached"]):
        value, low, high = (last["search"][f"reached{end}"] for end in ("", "_low", "_high"))
        question = "How much of that does the published search find?"
        lines.append(Headline(question, "JSD, of the exact maximum", value, low, high, None, 1.0))
    return lines


def _words(name: str) -> str:
    method, _, epsilon = name.partition("|")
    return f"{method}, ε = {epsilon}"
