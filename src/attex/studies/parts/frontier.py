"""How far attention can move, against how far the output then moves: the table and the figure."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from attex.analyses.summary import frame
from attex.charts.frontier import frontier_chart
from attex.report.study_page import Part
from attex.studies.parts.panels import Bounded, Panel, columns, told
from attex.studies.parts.subject import chart_name, minus
from attex.studies.rivals import BASE, KINDS, OTHER_SEED, UNIFORM, Kind, rival

EQUALLY_GOOD = 0.01
"""An adversary whose accuracy is at most so far below its base's decides as well."""

_ON_DEVELOPMENT = "development_accuracy"

_DRAWN = 6
"""As many figures a page has; tables have all."""


@dataclass(frozen=True)
class Grid:
    """What was tried: adversaries of which kinds and weights, and how far others may move the output."""

    kinds: tuple[Kind, ...]
    weights: tuple[float, ...]
    epsilons: tuple[float, ...]
    bounds: tuple[float, ...]


def frontier_part(panels: Sequence[Panel], grid: Grid) -> Part:
    """Lay out every model and every other attention of each panel, and draw the first few."""
    rows, charts = [], {}
    sentences: list[str] = []
    for number, panel in enumerate(panels):
        points = [*_points(panel, grid)]
        rows += [panel.about | point for point in points]
        sentences += _sentences(panel, grid)
        if number < _DRAWN:
            # Joined by λ or ε where a kind has several.
            drawn = [point | {"order": point["at"], "name": _name(point)} for point in points]
            charts[chart_name("frontier", panel.name)] = frontier_chart(
                drawn, f"Frontier: {panel.name}", _bound(panel, grid)
            )
    return Part(
        "How far can attention move, and the output stay?",
        "Each model is held against the base of its seed: TVD is how far its output is, JSD how far "
        "its attention is. Adversaries are trained to keep the first small and the second large; λ is "
        "the weight of the second. Frozen ones have the base's states and readout. Weights that are "
        "put in after training, shuffled or even, and per-text adversaries, which may move the output "
        "by ε, have the base's own states, too. In the table λ or ε stands under at. Accuracy lost is "
        "what the base has more, seed by seed; under a frozen adversary jsd bound is the mean of the "
        "exact bounds of all texts, and beyond bound the share of texts above theirs, which is 0. How "
        "far seeds differ is pooled over all models: of one whose seeds agree the interval is too "
        "wide, of one whose seeds part too narrow.",
        sentences,
        {"tables/frontier": frame(rows)},
        charts,
    )


def best(panel: Panel, kinds: Sequence[Kind], weights: Sequence[float], on: str) -> str | None:
    """Name the adversary that attends furthest elsewhere of those that decide as well as the base.

    Both are judged `on` "development" texts, or on "test" texts, those that all else is measured on.
    """
    before = "development_" if on == "development" else ""
    jsd = "development_jsd" if before else "jsd(base)"
    least = panel.value(BASE, f"{before}accuracy") - EQUALLY_GOOD
    levels = [rival(kind, weight) for kind in kinds for weight in weights]
    # A mean of rounded shares may miss the margin by its last digit.
    good = [one for one in levels if panel.value(one, f"{before}accuracy") >= least - 1e-9]
    good = [one for one in good if not math.isnan(panel.value(one, jsd))]
    return max(good, key=lambda one: panel.value(one, jsd), default=None)


def nearest(panel: Panel, kinds: Sequence[Kind], weights: Sequence[float]) -> tuple[str, Bounded]:
    """Name the adversary that loses least of the base's accuracy on development texts, and how much.

    How much has its interval: where that holds `EQUALLY_GOOD`, it may still decide as well.
    """
    lost = {
        level: panel.of(BASE, _ON_DEVELOPMENT, (level, _ON_DEVELOPMENT))
        for level in (rival(kind, weight) for kind in kinds for weight in weights)
    }
    trained = {level: found for level, found in lost.items() if not math.isnan(found[0])}
    return min(trained.items(), key=lambda one: one[1][0])


def trained_ones(panel: Panel, kinds: Sequence[Kind], weights: Sequence[float]) -> str | None:
    """Say which adversaries there are: nothing if all, None if none is trained yet."""
    levels = [rival(kind, weight) for kind in kinds for weight in weights]
    known = sum(not math.isnan(panel.value(level, "accuracy")) for level in levels)
    if not known:
        return None
    return "" if known == len(levels) else f" (trained so far: {known} of {len(levels)})"


def _points(panel: Panel, grid: Grid) -> Iterator[dict[str, Any]]:
    for kind in grid.kinds:
        for weight in grid.weights:
            yield _point(panel, KINDS[kind], rival(kind, weight), "base", weight)
    if OTHER_SEED in panel.rows:
        yield _point(panel, OTHER_SEED, OTHER_SEED, "beside")
    yield _point(panel, "uniform, trained", UNIFORM, "beside")
    yield _point(panel, "uniform, put in", BASE, "uniform")
    yield _point(panel, "permuted", BASE, "permuted")
    for name in ("search", "exact"):
        for epsilon in grid.epsilons[: 1 if name == "search" else None]:
            quantity = "jsd_max(search)" if name == "search" else f"jsd_max(exact, {epsilon:g})"
            if quantity in panel.cell.values:
                jsd = columns("jsd", panel.of(BASE, quantity))
                moved = columns("tvd", (epsilon, math.nan, math.nan))
                yield _row(f"per text, {name}", epsilon) | jsd | moved


def _point(panel: Panel, kind: str, level: str, other: str, at: float | None = None) -> dict[str, Any]:
    """Lay out one model, or one that had other weights put in after training."""
    put_in = level == BASE
    accuracy = f"accuracy({other})" if put_in else "accuracy"
    return (
        _row(kind, at)
        | columns("jsd", panel.of(level, f"jsd({other})"))
        | columns("tvd", panel.of(level, f"tvd({other})"))
        | columns("same_decision", panel.of(level, f"same_decision({other})"))
        | columns("accuracy", panel.of(level, accuracy))
        | columns("accuracy_lost", panel.of(BASE, "accuracy", (level, accuracy)))
        | {
            "development_accuracy": math.nan if put_in else panel.value(level, "development_accuracy"),
            "jsd_bound": panel.value(level, f"jsd_bound({other})"),
            "beyond_bound": panel.value(level, f"beyond_bound({other})"),
        }
    )


def _row(kind: str, at: float | None) -> dict[str, Any]:
    """Return a row in which nothing is known yet."""
    numbers = ("jsd", "tvd", "same_decision", "accuracy", "accuracy_lost")
    names = [name + end for name in numbers for end in ("", "_low", "_high")]
    unknown = dict.fromkeys([*names, "development_accuracy", "jsd_bound", "beyond_bound"], math.nan)
    return {"kind": kind, "at": at} | unknown


def _name(point: dict[str, Any]) -> str:
    if point["at"] is None:
        return str(point["kind"])
    return f"{'ε' if 'per text' in point['kind'] else 'λ'} = {point['at']:g}"


def _bound(panel: Panel, grid: Grid) -> list[tuple[float, float]]:
    found = [(moved, panel.value(BASE, f"jsd_bound({moved:g})")) for moved in grid.bounds]
    return [(moved, most) for moved, most in found if most == most]


def _sentences(panel: Panel, grid: Grid) -> Iterator[str]:
    for kind in grid.kinds:
        level = best(panel, (kind,), grid.weights, "development")
        if level is None:
            if (there := trained_ones(panel, (kind,), grid.weights)) is not None:
                near, loses = nearest(panel, (kind,), grid.weights)
                yield minus(
                    f"{panel.name}: no {KINDS[kind]}{there} decides as well as the base (within "
                    f"{EQUALLY_GOOD:g} of its accuracy on development texts): the nearest "
                    f"({near.partition(', ')[2]}) loses {told(loses)} there."
                )
            continue
        jsd, tvd = panel.of(level, "jsd(base)"), panel.of(level, "tvd(base)")
        lost = panel.of(BASE, "accuracy", (level, "accuracy"))
        yield minus(
            f"{panel.name}: the {KINDS[kind]} furthest from the base's attention that decides as well "
            f"({level.partition(', ')[2]}) has JSD {told(jsd)} at TVD {told(tvd)}; it loses "
            f"{told(lost)} of the base's accuracy."
        )
    seeds = panel.of(OTHER_SEED, "jsd(beside)")
    if not math.isnan(seeds[0]):
        moved = panel.of(OTHER_SEED, "tvd(beside)")
        yield f"{panel.name}: another seed alone has JSD {told(seeds)} at TVD {told(moved)}."
    beyond = [panel.value(rival("frozen", w), "beyond_bound(base)") for w in grid.weights]
    known = [share for share in beyond if share == share]
    if known:
        share = max(known)
        no = "no text" if share == 0 else f"up to {share:.1%} of the texts"
        yield f"{panel.name}: {no} of a frozen adversary is above its exact bound."
