"""Does a model need its attention, and could it have had another, in one figure."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from attex.analyses.summary import frame
from attex.charts.use_of_attention import use_of_attention_chart
from attex.report.study_page import Part
from attex.studies.parts.frontier import EQUALLY_GOOD, best, trained_ones
from attex.studies.parts.panels import Panel, columns, told
from attex.studies.parts.subject import minus
from attex.studies.rivals import BASE, UNIFORM, Kind

_VERSIONS = {
    "trained with even weights": (UNIFORM, "accuracy"),
    "even weights put in": (BASE, "accuracy(uniform)"),
}
_UNKNOWN = (math.nan, math.nan, math.nan)


def use_of_attention_part(
    panels: Sequence[Panel], kinds: Sequence[Kind], weights: Sequence[float]
) -> Part:
    """Give every panel a point, and say of each where it lies."""
    rows = [panel.about | row for panel in panels for row in _rows(panel, kinds, weights)]
    points = [
        {
            "name": panel.name,
            "version": version,
            **columns("lost", panel.of(BASE, "accuracy", less)),
            **columns("jsd", _furthest(panel, best(panel, kinds, weights, "development"))),
        }
        for version, less in _VERSIONS.items()
        for panel in panels
    ]
    return Part(
        "Does the model need its attention, and could it have had another?",
        "Accuracy lost is what the base has more than the same model with even weights, 1/n for each of "
        "n words: trained so from the start, or put in after training. JSD is of the adversary whose "
        f"attention is furthest away, of those whose accuracy is at most {EQUALLY_GOOD:g} below the "
        "base's. Both are judged on development texts, and reported on test texts. The last columns "
        "have the JSD of one that is chosen on test texts, as Wiegreffe & Pinter chose theirs: the "
        "difference is what that choice adds.",
        [_sentence(panel, kinds, weights) for panel in panels],
        {"tables/use_of_attention": frame(rows)},
        {"use_of_attention": use_of_attention_chart(points, "Use of attention")},
    )


def _rows(panel: Panel, kinds: Sequence[Kind], weights: Sequence[float]) -> Iterator[dict[str, Any]]:
    level = best(panel, kinds, weights, "development")
    on_test = best(panel, kinds, weights, "test")
    none = None if trained_ones(panel, kinds, weights) is None else "none is as good"
    lost = {
        name: panel.of(BASE, "accuracy", less)
        for name, less in zip(("lost_trained", "lost_put_in"), _VERSIONS.values(), strict=True)
    }
    yield (
        columns("accuracy", panel.of(BASE, "accuracy"))
        | {
            name: value
            for column, found in lost.items()
            for name, value in columns(column, found).items()
        }
        | {"adversary": level or none}
        | columns("jsd", _furthest(panel, level))
        | {"tvd": math.nan if level is None else panel.value(level, "tvd(base)")}
        | {"adversary_on_test": on_test or none}
        | columns("jsd_on_test", _furthest(panel, on_test))
    )


def _furthest(panel: Panel, level: str | None) -> tuple[float, float, float]:
    return _UNKNOWN if level is None else panel.of(level, "jsd(base)")


def _sentence(panel: Panel, kinds: Sequence[Kind], weights: Sequence[float]) -> str:
    trained, put_in = (panel.of(BASE, "accuracy", less) for less in _VERSIONS.values())
    level = best(panel, kinds, weights, "development")
    lost = f"{panel.name}: even weights cost {told(trained)} of accuracy, put in later {told(put_in)}"
    there = trained_ones(panel, kinds, weights)
    if there is None:
        return minus(f"{lost}.")
    if level is None:
        return minus(f"{lost}; no adversary{there} decides as well.")
    jsd = told(_furthest(panel, level))
    return minus(f"{lost}; an adversary that decides as well ({level}) is JSD {jsd} away.")
