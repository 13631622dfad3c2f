"""All tests of one attention: what each found, what it can say, and where they contradict each other."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attex.analyses.headline import Headline
from attex.analyses.summary import frame
from attex.charts.side_by_side import side_by_side_chart
from attex.report.study_page import Part
from attex.studies.attention_tests import (
    ABSENT,
    AGAINST,
    FOR,
    NONE_AS_GOOD,
    NONE_SEEN,
    OPEN,
    YARDSTICK,
    Finding,
)
from attex.studies.parts.panels import Panel, columns
from attex.studies.parts.subject import chart_name

if TYPE_CHECKING:
    import polars as pl

WEIGHTS, SAME, OTHERS, USES = (
    "the weights themselves",
    "this model under other weights",
    "other models",
    "what becomes of the words",
)
_DRAWN = 6
"""As many figures a page has; tables have all."""

ABOUT: dict[str, tuple[str, str, str, str]] = {
    "agreement with gradient": (
        WEIGHTS,
        "the order of the weights beside that of gradients",
        "The weights rank the words as the gradient does, more than by chance.",
        "Which of the two is right. Both may be wrong in the same way, and right in different ones.",
    ),
    "agreement with leave-one-out": (
        WEIGHTS,
        "the order of the weights beside that of deletions",
        "Words with more weight change the output more when they are deleted, more than by chance.",
        "That the weights are the reason: a text with a hole is like nothing the model has seen.",
    ),
    "truth": (
        WEIGHTS,
        "the words that are known to decide the label",
        "The weights point at the words that decide the label, more than a random order does.",
        "What this model decides by. It may be right for another reason than the one that was planted.",
    ),
    "permutation": (
        SAME,
        "this model, its weights shuffled",
        "The output needs these weights: shuffled ones move it more than another seed does.",
        "That nothing else would do. Shuffled weights are all but a few of the weights there are.",
    ),
    "even weights put in": (
        SAME,
        "this model with even weights",
        "The trained model loses accuracy without its weights.",
        "That a model of its kind needs any: this one was not trained for even ones.",
    ),
    "exact adversary": (
        SAME,
        "this model under weights that are made for each text",
        "No weights further away than another seed's leave the output where it is.",
        "That anything would come up with such weights: they are made text by text, knowing the output.",
    ),
    "searched adversary": (
        SAME,
        "this model under weights that are searched for each text",
        "The search finds no weights further away than another seed's.",
        "That there are none: a search may stop short. And nothing would come up with such weights.",
    ),
    "erasure": (
        SAME,
        "this model without its highest weight",
        "Without its highest weight the output moves more than without a random one.",
        "How much more: the highest weight may matter most, and still not decide.",
    ),
    "another seed": (
        OTHERS,
        "the same model, trained again",
        "How far attention moves by chance alone. Others are held against it.",
        "Anything about the attention of one seed.",
    ),
    "trained frozen adversary": (
        OTHERS,
        "one rule for all texts that attends elsewhere over the same states",
        "No such rule decides as well and attends further away than another seed does.",
        "Anything about models with other states.",
    ),
    "trained adversary": (
        OTHERS,
        "other models of the same kind, trained to attend elsewhere",
        "No such model decides as well and attends further away than another seed does.",
        "That the attention of this model is wrong: two models may decide the same for two reasons.",
    ),
    "even weights trained": (
        OTHERS,
        "a model of the same kind that never had weights",
        "Such a model is less accurate: there is something for attention to do.",
        "That these weights do it. Where even ones do as well, this model may still use its own.",
    ),
    "guide": (
        USES,
        "a model without context under these weights",
        "The weights are of use to another model, more than even ones.",
        "That they explain this one. Weights that were fitted to the label may give it away.",
    ),
    "cross-fit guide": (
        USES,
        "a model without context under weights that have not seen its texts",
        "The same with weights of models that have not seen the text: they cannot give the label away.",
        "That they explain this model.",
    ),
    "plain ROAR": (
        USES,
        "models trained without the words that have most weight",
        "A new model misses these words more than random ones.",
        "What this model did with them: the new one may have found others that serve as well.",
    ),
    "recursive ROAR": (
        USES,
        "models trained without these words, found anew step by step",
        "The same, and words that stand in for others are found in their turn.",
        "What the first model did with the words that a later one points at.",
    ),
    "trained to hide": (
        USES,
        "models trained to keep their weights off some words",
        "No model that decides as well keeps its weights off these words.",
        "That this model hides anything: it was not trained to.",
    ),
}
"""Of every test: its group, what it is about, what it says for the attention, and what it cannot say."""

_SAID = (FOR, OPEN, AGAINST)
_CLASH = ("for_it", "which_is_about", "against_it", "which_is_of")


def side_by_side_part(
    found: Mapping[str, Sequence[Finding]], panels: Sequence[Panel]
) -> tuple[Part, list[Headline]]:
    """Lay the tests of every model side by side, and say which contradict each other."""
    rows, pairs, charts, headlines = [], [], {}, []
    leads: list[str] = []
    sentences: list[str] = []
    for number, panel in enumerate(panels):
        findings = found[panel.name]
        rows += [panel.about | _row(one) for one in findings]
        leads.append(_lead(panel.name, findings))
        clashes = [*_clashes(findings)]
        pairs += [panel.about | clash for clash in clashes]
        sentences += _told(panel.name, clashes)
        headlines += [_headline(panel.name, one) for one in findings if one.says != YARDSTICK]
        if number < _DRAWN:
            name = chart_name("side_by_side", panel.name)
            drawn = [_drawn(one) for one in findings if one.says != YARDSTICK]
            charts[name] = side_by_side_chart(drawn, f"Tests side by side: {panel.name}", _SAID)
    tables = {
        "tables/side_by_side": frame(rows),
        "tables/contradictions": _contradictions(pairs, panels),
    }
    shown = dict.fromkeys(one.test for findings in found.values() for one in findings)
    tables["tables/what_tests_say"] = frame([_meaning(test) for test in shown])
    part = Part(
        "What do all tests say of the same attention?",
        "Every test asks something else. Each number stands beside what it is held against: what "
        "chance gives or, where chance gives nothing to go by, another seed of the same model, which "
        "has moved its attention for no reason. A test speaks for the attention, or against it, where "
        "its whole interval is on that side; else it does not tell. Even weights that cost at most 0.01 "
        "of the accuracy speak against it. Tests that contradict each other are rarely about the "
        "same thing: what tests say has a line for each, with what it cannot say.",
        [*leads, *sentences],
        tables,
        charts,
    )
    return part, headlines


def _row(one: Finding) -> dict[str, Any]:
    value, low, high = one.value
    return {
        "test": one.test,
        "says": one.says,
        "number": one.number,
        "value": value,
        "low": low,
        "high": high,
        "beside": one.held_against,
        "which_is": one.which_is,
        "of": one.of,
    } | columns("margin", one.margin)


def _drawn(one: Finding) -> dict[str, Any]:
    favour, low, high = one.favour
    group = ABOUT[one.test][0]
    return {
        "group": group,
        "test": one.test,
        "says": one.says,
        "favour": favour,
        "low": low,
        "high": high,
    }


def _meaning(test: str) -> dict[str, Any]:
    group, about, says, cannot = ABOUT[test]
    return {"test": test, "is about": group, "namely": about, "for it says": says, "cannot say": cannot}


def _lead(name: str, findings: Sequence[Finding]) -> str:
    said = {
        word: [
            one.test + (f" ({one.of})" if one.of in (NONE_AS_GOOD, NONE_SEEN) else "")
            for one in findings
            if one.says == word
        ]
        for word in (*_SAID, ABSENT)
    }
    told = [
        f"{word}: {', '.join(tests) or 'none'}"
        for word, tests in said.items()
        if tests or word != ABSENT
    ]
    return f"{name}, what tests say of its attention. {_capital('; '.join(told))}."


def _clashes(findings: Sequence[Finding]) -> Iterator[dict[str, Any]]:
    for one in findings:
        for other in findings:
            if one.says == FOR and other.says == AGAINST:
                about = one.test, ABOUT[one.test][1], other.test, ABOUT[other.test][1]
                yield dict(zip(_CLASH, about, strict=True))


def _contradictions(pairs: Sequence[dict[str, Any]], panels: Sequence[Panel]) -> "pl.DataFrame":
    """Make the table of contradictions; it has its columns where there are none, too."""
    import polars as pl

    names = [*panels[0].about, *_CLASH]
    return frame(pairs) if pairs else pl.DataFrame(schema=dict.fromkeys(names, pl.String))


def _told(name: str, clashes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Name every test that speaks against, and what it is about beside those that speak for."""
    for against in dict.fromkeys(clash["against_it"] for clash in clashes):
        some = [clash for clash in clashes if clash["against_it"] == against]
        others = ", ".join(clash["for_it"] for clash in some)
        yield (
            f"{name}: {against} speaks against the attention, and contradicts {others}. "
            f"It is about {some[0]['which_is_of']}."
        )


def _headline(name: str, one: Finding) -> Headline:
    value, low, high = (None if number != number else number for number in one.value)
    chance = None if one.held_against != one.held_against else one.held_against
    return Headline(f"What does “{one.test}” say of {name}?", one.number, value, low, high, chance)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
