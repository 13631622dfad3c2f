"""How far the attention of models is apart that differ in their seed alone."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from attex.analyses.headline import OVERALL
from attex.analyses.summary import frame
from attex.charts.by_weight import by_weight_chart
from attex.charts.violins import bin_names
from attex.report.study_page import Part
from attex.studies.parts.panels import Panel, columns, told
from attex.studies.parts.subject import chart_name

_DRAWN = 6
"""As many figures a page has; tables have all."""


def seeds_part(panels: Sequence[Panel], level: str) -> Part:
    """Lay out how far seeds are apart, overall and by the highest weight of a text."""
    overall = [panel.about | _overall(panel, level) for panel in panels]
    rows = {panel.name: [*_binned(panel, level)] for panel in panels}
    charts = {
        chart_name("seeds", panel.name): by_weight_chart(
            [row for row in rows[panel.name] if row["class"] != OVERALL],
            f"Other seeds: {panel.name}",
            "JSD of the attention from other seeds, median over them",
        )
        for panel in panels[:_DRAWN]
    }
    return Part(
        "How far does attention move with the seed alone?",
        "Every model is held against those of all other seeds, text by text. By the highest weight of a "
        "text, the median over the other seeds counts; over all texts, their mean. JSD is 0 for the "
        "same weights and ln 2 = 0.693 for weights on other words altogether; TVD is how far the output "
        "moved meanwhile. What an adversary moves beyond this is its own doing.",
        [_sentence(panel, level) for panel in panels],
        {
            "tables/seeds": frame(overall),
            "tables/seeds_by_weight": frame([p.about | row for p in panels for row in rows[p.name]]),
        },
        charts,
    )


def _overall(panel: Panel, level: str) -> dict[str, Any]:
    names = {"jsd": "jsd(beside)", "tvd": "tvd(beside)", "same_decision": "same_decision(beside)"}
    found: dict[str, Any] = {"seeds": len(panel.cell.seeds)}
    for name, quantity in (names | {"accuracy": "accuracy"}).items():
        found |= columns(name, panel.of(level, quantity))
    return found


def _binned(panel: Panel, level: str) -> Iterator[dict[str, Any]]:
    classes = dict.fromkeys(class_ for _, class_ in panel.cell.of_classes)
    for class_ in [*classes, OVERALL]:
        for inside in bin_names():
            name = f"jsd(beside)[{inside.replace('–', '-')}]"
            found = {
                column: _value(panel, level, f"{name} {ending}", class_)
                for column, ending in (
                    ("texts", "n"),
                    ("median", "median"),
                    ("q25", "q25"),
                    ("q75", "q75"),
                )
            }
            yield {"class": class_, "highest_weight": inside} | found


def _value(panel: Panel, level: str, quantity: str, class_: str) -> float:
    if class_ == OVERALL:
        return panel.value(level, quantity)
    return panel.of_class(level, quantity, class_)


def _sentence(panel: Panel, level: str) -> str:
    jsd, tvd = panel.of(level, "jsd(beside)"), panel.of(level, "tvd(beside)")
    same = panel.of(level, "same_decision(beside)")
    sentence = (
        f"{panel.name}: the attention of two seeds is {told(jsd)} apart (JSD), their outputs "
        f"{told(tvd)} (TVD), and they decide {same[0]:.1%} of the texts alike"
    )
    sure, unsure = (
        _value(panel, level, f"jsd(beside)[{inside.replace('–', '-')}] median", OVERALL)
        for inside in (bin_names()[-1], bin_names()[0])
    )
    if not (math.isnan(sure) or math.isnan(unsure)):
        sentence += (
            f"; the median is {sure:.3f} where one word has more than three quarters of the weight, "
            f"{unsure:.3f} where none has a quarter"
        )
    return sentence + "."
