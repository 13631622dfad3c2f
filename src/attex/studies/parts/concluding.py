"""In how many universes each conclusion of the papers holds."""

from collections.abc import Mapping
from typing import Any

from attex.analyses.summary import frame
from attex.charts.verdicts import verdicts_by_level_chart, verdicts_chart
from attex.report.study_page import Part
from attex.studies.conclusion import Conclusion
from attex.studies.paired import UNDEFINED, VERDICTS, PairedCell, paired
from attex.studies.parts.subject import Subject, chart_name
from attex.studies.verdict_shares import ALL, OPTIONS, share_rows


def conclusions_part(
    subject: Subject,
    asked: Mapping[str, Conclusion],
    cites: Mapping[str, str],
    least_accuracy: float | Mapping[str, float],
) -> Part:
    """Ask every conclusion of every universe."""
    found = {name: paired(subject.runs, one, least_accuracy) for name, one in asked.items()}
    rows = share_rows(subject.runs, found)
    overall = [
        {"conclusion": row["conclusion"], "sentence": asked[row["conclusion"]].sentence}
        | {"cite": cites[row["conclusion"]]}
        | {key: value for key, value in row.items() if key not in ("conclusion", "choice", "level")}
        for row in rows
        if not row["choice"]
    ]
    by_choice = [row for row in rows if row["choice"]]
    charts = {"conclusions": verdicts_chart([*_counts(asked, found)], "Conclusions by cell")}
    for name in asked:
        counted = _level_counts(subject, found[name])
        if counted and subject.runs.choices:
            title = asked[name].sentence
            charts[chart_name("by_choice", name)] = verdicts_by_level_chart(
                counted, subject.runs.choices, title[:1].upper() + title[1:]
            )
    leading = [row for row in overall if _over_cells(row)]
    return Part(
        "Do the papers' conclusions hold?",
        "A conclusion is the sign of a difference: between two numbers of a model, or between two "
        "models with the same setting, seed and texts. It holds in a universe if the whole 95 % "
        "interval is on its side of 0, is reversed if it is on the other side, and undecided else.",
        [_sentence(row) for row in leading],
        {"tables/conclusions": frame(overall), "tables/conclusions_by_choice": frame(by_choice)},
        charts,
    )


def _over_cells(row: Mapping[str, Any]) -> bool:
    return bool(row["dataset"] == ALL and row["weighting"] == OPTIONS and row["kept"] == ALL)


def _sentence(row: Mapping[str, Any]) -> str:
    start = row["sentence"][:1].upper() + row["sentence"][1:]
    return (
        f"{start}: holds in {row['holds']:.0%} [{row['holds_low']:.0%}, {row['holds_high']:.0%}] of "
        f"{row['universes']:,} universes, reversed in {row['reversed']:.0%} ({row['cite']})."
    )


def _counts(
    asked: Mapping[str, Conclusion], found: Mapping[str, tuple[PairedCell, ...]]
) -> list[dict[str, Any]]:
    return [
        {"conclusion": asked[name].sentence, "cell": " ".join(one.cell.values())} | _count(one.verdict)
        for name, cells in found.items()
        for one in cells
    ]


def _count(verdicts: Any) -> dict[str, int]:
    return {word: int((verdicts == word).sum()) for word in (*VERDICTS, UNDEFINED)}


def _level_counts(subject: Subject, cells: tuple[PairedCell, ...]) -> list[dict[str, Any]]:
    rows = []
    for number, (choice, names) in enumerate(subject.runs.choices.items()):
        for level, name in enumerate(names):
            at = [one.verdict[subject.chosen(one.levels)[:, number] == level] for one in cells]
            if any(len(some) for some in at):
                counts = [_count(some) for some in at]
                summed = {word: sum(one[word] for one in counts) for word in counts[0]}
                rows.append({"choice": choice, "level": name} | summed)
    return rows
