"""Does a model need its attention, and could it have had another, in one figure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attex.analyses.summary import frame
from attex.charts.use_of_attention import use_of_attention_chart
from attex.report.study_page import Part
from attex.studies.parts.frontier import EQUALLY_GOOD, best, nearest, trained_ones
from attex.studies.parts.panels import Panel, columns, told
from attex.studies.parts.subject import minus
from attex.studies.rivals import BASE, UNIFORM, Kind

if TYPE_CHECKING:
    import polars as pl

_TABLE = "tables/use_of_attention"
_VERSIONS = {
    "trained with even weights": ("lost_trained", (UNIFORM, "accuracy")),
    "even weights put in": ("lost_put_in", (BASE, "accuracy(uniform)")),
}
"""In words, how even weights came in: the column of what they cost, and what the base is set beside."""

_NONE = "none is as good"
"""What stands in the place of the best adversary where all of them decide worse than the base."""

_ENDS = ("", "_low", "_high")
_UNKNOWN = (math.nan, math.nan, math.nan)


def use_of_attention_part(
    panels: Sequence[Panel], kinds: Sequence[Kind], weights: Sequence[float]
) -> Part:
    """Give every panel a point, and say of each where it lies."""
    tables = {_TABLE: frame([panel.about | _row(panel, kinds, weights) for panel in panels])}
    return Part(
        "Does the model need its attention, and could it have had another?",
        "Accuracy lost is what the base has more than the same model with even weights, 1/n for each of "
        "n words: trained so from the start, or put in after training. JSD is of the adversary whose "
        f"attention is furthest away, of those whose accuracy is at most {EQUALLY_GOOD:g} below the "
        "base's. Both are judged on development texts, and reported on test texts. The last columns "
        "have the JSD of one that is chosen on test texts, as Wiegreffe & Pinter chose theirs: the "
        "difference is what that choice adds.",
        [_sentence(panel, kinds, weights) for panel in panels],
        tables,
        use_of_attention_overview(tables),
    )


def use_of_attention_overview(tables: "Mapping[str, pl.DataFrame]") -> dict[str, dict[str, Any]]:
    """Draw every row of the table as a point for each way in which even weights came in."""
    named = [*_named(tables[_TABLE].rows(named=True))]
    points = [
        {"name": name, "version": version}
        | {f"lost{end}": row[f"{column}{end}"] for end in _ENDS}
        | {f"jsd{end}": row[f"jsd{end}"] for end in _ENDS}
        for version, (column, _) in _VERSIONS.items()
        for name, row in named
    ]
    bound = [name for name, row in named if row["adversary"] == _NONE]
    return {"use_of_attention": use_of_attention_chart(points, "Use of attention", bound)}


def _named(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each row with what tells it from the others: the columns before the numbers that differ."""
    about = [*rows[0]][: [*rows[0]].index("accuracy")]
    differ = [column for column in about if len({row[column] for row in rows}) > 1] or about[:1]
    for row in rows:
        yield " ".join(str(row[column]) for column in differ if row[column] is not None), row


def _row(panel: Panel, kinds: Sequence[Kind], weights: Sequence[float]) -> dict[str, Any]:
    level = best(panel, kinds, weights, "development")
    on_test = best(panel, kinds, weights, "test")
    none = None if trained_ones(panel, kinds, weights) is None else _NONE
    lost = {name: panel.of(BASE, "accuracy", less) for name, less in _VERSIONS.values()}
    return (
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
    trained, put_in = (panel.of(BASE, "accuracy", less) for _, less in _VERSIONS.values())
    level = best(panel, kinds, weights, "development")
    lost = f"{panel.name}: even weights cost {told(trained)} of accuracy, put in later {told(put_in)}"
    there = trained_ones(panel, kinds, weights)
    if there is None:
        return minus(f"{lost}.")
    if level is None:
        near, loses = nearest(panel, kinds, weights)
        which = f"the nearest ({near}) loses {told(loses)} on development texts"
        return minus(f"{lost}; no adversary{there} decides as well: {which}.")
    jsd = told(_furthest(panel, level))
    return minus(f"{lost}; an adversary that decides as well ({level}) is JSD {jsd} away.")
