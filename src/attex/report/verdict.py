"""What a run found, in sentences made from its numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attex.analyses.analysis import Analysis, Headline, Result
from attex.analyses.headline import ALL_SEEDS, OVERALL, answer, decimals
from attex.report.run_tables import misleads

if TYPE_CHECKING:
    import polars as pl

_NEAR = 0.1
"""Where a model has less than this share of what could be gained over chance, it is near chance."""

Findings = Sequence[tuple[Analysis, Result]]
"""Analyses with what they found; the performance of the model comes first."""


def verdict(findings: Findings) -> list[str]:
    """Say in a few sentences how good the model is, and what the analyses answer."""
    sentences = [_performance(findings[0][1].headline[0])]
    for analysis, result in findings[1:]:
        if "tables/agreement" in result.tables:
            sentences += _agreement(result.tables["tables/agreement"])
        elif "tables/truth" in result.tables:
            sentences.append(_truth(result.headline))
        elif result.headline:
            sentences.append(f"{answer(analysis.leading(result.headline))}.")
    return sentences


def near_chance(findings: Findings) -> str:
    """Warn of a model that is hardly better than its best guess; nothing is said of a better one."""
    headline = findings[0][1].headline[0]
    if headline.value is None or headline.chance is None:
        return ""
    gained = (headline.value - headline.chance) / max(1e-9, 1 - headline.chance)
    if gained >= _NEAR and headline.above_chance() is not False:
        return ""
    return (
        "The model is hardly better than always taking the commonest class. There is next to no "
        "decision to explain: what follows describes such a model, and is no evidence about attention."
    )


def _performance(headline: Headline) -> str:
    if headline.value is None:
        return "How good the model is cannot be said."
    interval = _interval(headline.low, headline.high)
    sentence = (
        f"The model decides {_percent(headline.value)}{interval} of the test texts as they are labelled"
    )
    if headline.chance is None:
        return f"{sentence}."
    return f"{sentence}; always taking the commonest class would decide {_percent(headline.chance)} so."


def _truth(headlines: Sequence[Headline]) -> str:
    """Say how well attention finds the words that decide, beside chance and the best other measure."""
    known = [line for line in headlines if line.value is not None]
    if not known:
        return "Whether attention finds the words that decide cannot be said."
    own = next((line for line in known if " attention " in line.question), known[0])
    best = max(known, key=lambda line: line.value or 0.0)
    sentence = f"{answer(own)}."
    if best is own or best.value is None:
        return sentence
    measure = best.question.removeprefix("Does ").removesuffix(" find the tokens that decide?")
    return f"{sentence} Best is {measure}, with {decimals(best.value)}."


def _agreement(table: "pl.DataFrame") -> list[str]:
    """Say how far attention goes from chance to what could be reached, beside the controls."""
    rows = [
        row
        for row in table.to_dicts()
        if row["class"] == OVERALL and _defined(row["calibrated"]) and not misleads(row["statistic"])
    ]
    pooled = [row for row in rows if str(row["seed"]) == ALL_SEEDS] or rows
    own = [row for row in pooled if "attention" in (row["measure_a"], row["measure_b"])]
    if not (own or pooled):
        return []
    # What a deletion does is what attention is asked to tell.
    with_deletion = [row for row in own if "leave_one_out" in (row["measure_a"], row["measure_b"])]
    return [_of_pair((with_deletion or own or pooled)[0])]


def _of_pair(row: dict[str, Any]) -> str:
    first, second = row["measure_a"], row["measure_b"]
    second, first = (first, second) if second == "attention" else (second, first)
    interval = _interval(row["calibrated_low"], row["calibrated_high"])
    sentence = (
        f"In ranking words {first} goes {_percent(row['calibrated'])}{interval} of the way from chance "
        f"to what could be reached, by agreement with {second} ({row['statistic']})"
    )
    controls = {
        "permuted": "the same weights on other words go",
        "untrained": "the untrained model goes",
    }
    told = [
        f"{words} {_percent(_calibrated(row, name))}"
        for name, words in controls.items()
        if _defined(row.get(name)) and _defined(_calibrated(row, name))
    ]
    return "; ".join([sentence, *told]) + "."


def _calibrated(row: dict[str, Any], control: str) -> float:
    """Place a control, which is a mean over texts, on the way from chance to ceiling."""
    room = row["ceiling"] - row["null"]
    return float((row[control] - row["null"]) / room) if room else float("nan")


def _defined(value: Any) -> bool:
    return value is not None and value == value


def _percent(share: float) -> str:
    """Write a share as whole percents; of what is nearly nothing, with a decimal."""
    places = 1 if 0 < abs(share) < 0.01 else 0
    return f"{round(100 * share, places) + 0.0:.{places}f} %".replace("-", "−")


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None or low != low or high != high:
        return ""
    return f" [{_percent(low)}, {_percent(high)}]"
