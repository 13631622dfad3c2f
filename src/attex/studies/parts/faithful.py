"""Is agreement evidence of faithfulness?"""

from collections.abc import Mapping
from typing import Any

from attex.analyses.summary import frame
from attex.charts.within_settings import ATTENTION, CONTROL, within_settings_chart
from attex.report.study_page import Part
from attex.studies.parts.subject import Subject, minus
from attex.studies.within import OWN, faithfulness_rows


def faithful_part(subject: Subject) -> Part | None:
    """Regress faithfulness on agreement within settings; None where the models lack either."""
    rows = faithfulness_rows(subject.runs)
    if not rows:
        return None
    alone = [row for row in rows if not row["together"]]
    charts = {}
    if any(row["slope"] == row["slope"] for row in alone):
        charts["faithfulness_within_settings"] = within_settings_chart(
            [_point(row) for row in alone], "Is agreement evidence of faithfulness?"
        )
    return Part(
        "Is agreement evidence of faithfulness?",
        "Among models that differ in their seed only: are those whose attention agrees more with other "
        "measures also those whose attention is more faithful? Settings are compared with themselves, "
        "since a choice can move both. Permuted attention is the control: it agrees, too, and says "
        "nothing.",
        [_sentence(row) for row in alone if row["attention"] == OWN],
        {"tables/faithfulness_within_settings": frame(rows)},
        charts,
    )


def _point(row: Mapping[str, Any]) -> dict[str, Any]:
    of = ATTENTION if row["attention"] == OWN else CONTROL
    outcome = (
        f"{row['outcome']} by {row['predictor'].removesuffix(' calibrated').removesuffix(' permuted')}"
    )
    numbers = {key: row[key] * row["spread"] for key in ("slope", "low", "high")}
    return {"dataset": row["dataset"], "outcome": outcome, "of": of, "n": row["models"]} | numbers


def _sentence(row: Mapping[str, Any]) -> str:
    start = f"On {row['dataset']}, {row['outcome']} by {row['predictor']}: "
    if row["slope"] != row["slope"]:
        return f"{start}no slope ({row['problem']})."
    verdict = "rises" if row["low"] > 0 else "falls" if row["high"] < 0 else "does not clearly move"
    slope = minus(f"{row['slope']:.2f} [{row['low']:.2f}, {row['high']:.2f}]")
    return (
        f"{start}{verdict} within settings, {slope} for one unit "
        f"({row['models']:,} models in {row['settings']:,} settings)."
    )
