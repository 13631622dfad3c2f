"""Compare finished runs: from their folders to the folder of the answer."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attex.analyses.headline import Headline, decimals
from attex.analyses.quantity import OVERALL
from attex.analyses.summary import frame
from attex.charts.differences import differences_chart
from attex.report.study_page import Part
from attex.runner.manifest import made_with
from attex.runner.workspace import Workspace
from attex.studies.compare import TEXTS, Key, RunNumbers, common_texts, compare
from attex.studies.config_changes import changed_settings
from attex.studies.finished_runs import FinishedRun, read_runs
from attex.studies.folder import Origin, write_answer_folder
from attex.studies.leading import ACCURACY, agreements, leading_first
from attex.studies.study import Answer

COMPARE = "compare"
"""The folder of comparisons in an output folder."""

DIFFERENCES, VALUES = "tables/differences", "tables/values"
_LED = 4
"""As many differences of one run stand in the sentences that lead the page."""

_CLEAREST = 5
_CHANCE = 0.05
"""How many of all intervals miss a difference that is 0."""

_ONE_SEED = "One seed is compared, so the intervals say nothing of other seeds."

Row = dict[str, Any]


def compare_runs(paths: Sequence[Path], workspace: Workspace) -> Path:
    """Compare runs with the first of them, and write `<output>/compare/<timestamp>`.

    Raises:
        UserError: if they cannot be paired: see `read_runs`, `common_texts` and `compare`.
    """
    runs = read_runs(paths)
    numbers = [run.on(common_texts(*(run.texts for run in runs))) for run in runs]
    rows = _ordered(compare(*numbers), [key for run in runs for key in run.values])
    left_out = [*_not_compared(runs, numbers)]
    parts = [_settings_part(runs), _differences_part(rows), _compared_part(runs, rows, left_out)]
    answer = Answer(_lead(rows), parts, [*map(_headline, _leading(rows))])
    tables = {VALUES: frame([*_values(numbers)])}
    origin = _origin(runs, len(numbers[0].texts), workspace)
    return write_answer_folder(workspace.output / COMPARE, origin, answer, tables, workspace.cache.root)


def sentence(row: Mapping[str, Any]) -> str:
    """Say a difference in words, as "accuracy 0.810 → 0.830, difference 0.020 [0.001, 0.039]"."""
    of_class = "" if row["class"] == OVERALL else f" of {row['class']}"
    if row["difference"] != row["difference"]:
        return f"{row['quantity']}{of_class}: undefined in one of the runs, or in both"
    numbers = {name: decimals(row[name], 3) for name in ("base", "value", "difference")}
    bounds = f" [{decimals(row['low'], 3)}, {decimals(row['high'], 3)}]" if _is_bounded(row) else ""
    change = f"{numbers['base']} → {numbers['value']}, difference {numbers['difference']}"
    return f"{row['quantity']}{of_class} {change}{bounds}"


def _ordered(rows: Sequence[Row], keys: Sequence[Key]) -> list[Row]:
    """Order rows by run; in each what is over all texts first, and of that the leading quantities."""
    place = {name: number for number, name in enumerate(leading_first(name for name, _ in keys))}
    of_class = {label: number for number, label in enumerate(dict.fromkeys(label for _, label in keys))}
    runs = list(dict.fromkeys(row["run"] for row in rows))
    return sorted(
        rows,
        key=lambda row: (
            runs.index(row["run"]),
            row["class"] != OVERALL,
            place[row["quantity"]],
            of_class[row["class"]],
        ),
    )


def _settings_part(runs: Sequence[FinishedRun]) -> Part:
    changed = changed_settings([run.config for run in runs])
    names = [run.name for run in runs]
    rows = [{"setting": key} | dict(zip(names, values, strict=True)) for key, values in changed.items()]
    same = "The experiments have the same settings: they differ in nothing but their names."
    return Part(
        "What went in differently?",
        "Every key of the experiments whose value is not the same; – is a key that one does not have.",
        [] if rows else [same],
        {"tables/settings": frame(rows)} if rows else {},
    )


def _differences_part(rows: Sequence[Row]) -> Part:
    overall = [row for row in rows if row["class"] == OVERALL and TEXTS in row["bounded_by"]]
    leading = _leading(overall)
    others = [row for row in overall if row not in leading]
    base = rows[0]["against"] if rows else ""
    charts = {}
    if leading:
        charts["differences"] = differences_chart(leading, f"Against {base}: accuracy and agreement")
    if others:
        charts["other_differences"] = differences_chart(others, f"Against {base}: all else")
    return Part(
        "What came out differently?",
        "A difference is what a run has less what the first run has, on the same texts and seed by "
        "seed. Its 95 % interval says how far it would move with other texts, drawn alike for all runs, "
        "and with other seeds; the column “bounded by” says which of the two it knows of. The charts "
        "have what is bounded by texts; areas under curves, medians and numbers of one class are in the "
        "table only. Beside accuracy and agreement, the differences that are clearest, by the widths of "
        "their intervals, are said in words.",
        [*_clearest(others)],
        {DIFFERENCES: frame(list(rows))},
        charts,
    )


def _compared_part(runs: Sequence[FinishedRun], rows: Sequence[Row], left_out: Sequence[Row]) -> Part:
    kept = {row["texts"] for row in rows}
    table = [
        {
            "run": run.name,
            "folder": str(run.path),
            "seeds": ", ".join(map(str, run.seeds)),
            "texts": len(run.texts),
            "texts_compared": max(kept, default=0),
            "attex": str(run.manifest.get("attex", "")),
        }
        for run in runs
    ]
    sentences = []
    tables = {"tables/runs": frame(table)}
    if left_out:
        one = len(left_out) == 1
        sentences.append(
            f"{len(left_out):,} number{'' if one else 's'} {'is' if one else 'are'} not compared; "
            "the table below says why."
        )
        tables["tables/not_compared"] = frame(list(left_out))
    return Part(
        "What was compared?",
        "The texts that all runs have, by their names, and the seeds that a run shares with the first.",
        sentences,
        tables,
    )


def _not_compared(runs: Sequence[FinishedRun], numbers: Sequence[RunNumbers]) -> Iterator[Row]:
    """Yield the numbers that a run has and that cannot be set against another's, with the reason."""
    for run, known in zip(runs, numbers, strict=True):
        partners = numbers[1:] if known is numbers[0] else numbers[:1]
        for key in run.values:
            row = {"run": run.name, "quantity": key[0], "class": key[1]}
            if key not in known.values:
                yield row | {
                    "why": "known over all texts of the run only, and they are not all compared"
                }
            elif not any(key in other.values for other in partners):
                yield row | {"why": "no other run has it, or not on these texts"}


def _values(numbers: Sequence[RunNumbers]) -> Iterator[Row]:
    """Yield every number of every seed of every run, on the texts that are compared."""
    for run in numbers:
        for (quantity, class_), values in run.values.items():
            for seed, value in zip(run.seeds, values.tolist(), strict=True):
                yield {
                    "run": run.name,
                    "seed": seed,
                    "quantity": quantity,
                    "class": class_,
                    "value": value,
                }


def _lead(rows: Sequence[Row]) -> list[str]:
    """Say the leading differences of each run, and how many of all are clear."""
    lead = []
    for run in dict.fromkeys(row["run"] for row in rows):
        own = [row for row in rows if row["run"] == run]
        told = _leading(own)[:_LED]
        if told:
            lead.append(f"From {own[0]['against']} to {run}: {'; '.join(map(sentence, told))}.")
        bounded = [row for row in own if TEXTS in row["bounded_by"]]
        clear = sum(_is_clear(row) for row in bounded)
        expected = _CHANCE * len(bounded)
        lead.append(
            f"Of the {len(bounded)} differences of {run} that are bounded by texts, {clear} "
            f"{'is' if clear == 1 else 'are'} clear of 0; if nothing differed, about {expected:.0f} "
            "would be by chance." + (f" {_ONE_SEED}" if max(row["seeds"] for row in own) < 2 else "")
        )
    return lead


def _clearest(rows: Sequence[Row]) -> Iterator[str]:
    """Say which of the other differences are furthest from 0, by the widths of their intervals."""
    clear = [row for row in rows if _is_clear(row)]
    clear.sort(key=lambda row: (row["high"] - row["low"]) / abs(row["difference"]))
    several = len({row["run"] for row in rows}) > 1
    for row in clear[:_CLEAREST]:
        yield f"{row['run'] + ': ' if several else ''}{sentence(row)}."


def _leading(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of accuracy and of the agreements of attention, over all texts."""
    first = {ACCURACY, *agreements(row["quantity"] for row in rows)}
    return [row for row in rows if row["class"] == OVERALL and row["quantity"] in first]


def _headline(row: Row) -> Headline:
    known = {
        name: row[name] if row[name] == row[name] else None for name in ("difference", "low", "high")
    }
    question = f"How does {row['quantity']} of {row['run']} differ from that of {row['against']}?"
    numbers = known["difference"], known["low"], known["high"]
    return Headline(question, f"{row['quantity']}, difference", *numbers, chance=None)


def _is_bounded(row: Mapping[str, Any]) -> bool:
    return bool(row["low"] == row["low"] and row["high"] == row["high"])


def _is_clear(row: Mapping[str, Any]) -> bool:
    return _is_bounded(row) and (row["low"] > 0 or row["high"] < 0)


def _origin(runs: Sequence[FinishedRun], texts: int, workspace: Workspace) -> Origin:
    base, *others = runs
    seeds = [seed for seed in base.seeds if any(seed in run.seeds for run in others)]
    manifest = {
        "study": COMPARE,
        **made_with(workspace.device),
        "seeds": seeds,
        "left_out": {},
        "runs": {run.name: str(run.path.absolute()) for run in runs},
    }
    title = f"{' and '.join(run.name for run in others)} against {base.name}"
    facts = [
        str(base.config["data"]["type"]),
        f"{texts:,} texts",
        f"{len(seeds)} seed{'s' * (len(seeds) != 1)}",
    ]
    config = {"compare": {run.name: dict(run.config) for run in runs}}
    return Origin(title, COMPARE, config, manifest, facts)
