"""Figures of Meister et al.'s page: what changes as attention gets sparser."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from attex.analyses.agreement import BEYOND, CALIBRATED
from attex.analyses.faithfulness import COMPREHENSIVENESS, RANDOM
from attex.charts.style import GREY, PALETTE, finish
from attex.claims.ledger import Cell
from results.by_seed import Seeds, ceiling
from results.paper_numbers import PaperNumbers
from results.study_numbers import DENSE

SHOWN = {"lstm": "BiLSTM + tanh", "transformer": "Transformer + sdp"}
MEASURES = {"gradient_norm": "gradient", "leave_one_out": "leave-one-out"}
AXIS = "sparsegen λ: sparser to the right"
SEPARATE = ""
"""An empty place on the axis: softmax stands apart from every λ."""


def _tau(measure: str) -> str:
    return f"kendall_tau(attention, {measure})"


def _places(paper: PaperNumbers) -> dict[str, str]:
    """Say where on the axis each projection stands: at its λ, and softmax apart."""
    ordered = sorted(paper.lambdas.items(), key=lambda one: one[1])
    return {DENSE: DENSE} | {projection: f"{place:g}" for projection, place in ordered}


def _x(places: Sequence[str]) -> alt.X:
    domain = [DENSE, SEPARATE, *(place for place in places if place != DENSE)]
    axis = alt.Axis(labelAngle=0, values=[place for place in domain if place])
    return alt.X("at:O", scale=alt.Scale(domain=domain), title=AXIS, axis=axis)


def _models(paper: PaperNumbers, encoder: str) -> list[tuple[Cell, str]]:
    """Return the cells of an encoder with their places, the sparsest last."""
    places = _places(paper)
    return [(cell, places[cell[-1]]) for cell in paper.by_sparsity() if cell[1] == encoder]


def _point(value: Seeds, **about: str) -> Iterator[dict[str, Any]]:
    if value:
        yield about | {"mean": value.mean, "low": value.least, "high": value.most}


def _marks(
    points: Sequence[dict[str, Any]], x: alt.X, colour: alt.Color, y: str, from_zero: bool = True
) -> list[alt.Chart]:
    """Draw lines along λ with the range over seeds; what is named a control is dotted or hollow."""
    scale = alt.Scale(zero=from_zero)
    mean, low = (alt.Y(f"{field}:Q", title=y, scale=scale) for field in ("mean", "low"))
    layers = []
    for is_control in (False, True):
        some = [point for point in points if bool(point.get("control")) == is_control]
        at_lambda = alt.InlineData([point for point in some if point["at"] != DENSE])
        alone = alt.InlineData([point for point in some if point["at"] == DENSE])
        encoding: dict[str, Any] = {"x": x, "color": colour}
        line = alt.Chart(at_lambda).encode(**encoding)
        dot = alt.Chart(alone).encode(**encoding)
        if is_control:
            layers += [
                line.mark_line(strokeDash=[1, 3], strokeWidth=2).encode(y=mean),
                dot.mark_point(size=35, strokeWidth=1.5).encode(y=mean),
            ]
            continue
        layers += [
            line.mark_area(opacity=0.15).encode(y=low, y2="high:Q"),
            line.mark_line(point=True, strokeWidth=2).encode(y=mean),
            dot.mark_rule(strokeWidth=5, opacity=0.2).encode(y=low, y2="high:Q"),
            dot.mark_point(filled=True, size=45, opacity=1).encode(y=mean),
        ]
    return layers


def _colour(field: str, names: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=[*names], range=PALETTE[: len(names)])
    return alt.Color(f"{field}:N", title=None, scale=scale)


def _datasets(paper: PaperNumbers) -> list[str]:
    return [*dict.fromkeys(cell[0] for cell in paper.cells)]


def sparser(paper: PaperNumbers) -> dict[str, Any]:
    """The answer: agreement as measured and of what could be reached, and what deletion costs."""
    tau = _tau("leave_one_out")
    rows = []
    for encoder, name in SHOWN.items():
        models = _models(paper, encoder)
        columns: dict[str, tuple[str, list[dict[str, Any]]]] = {
            "as measured": ("τ with leave-one-out", []),
            "from chance to ceiling": ("share of the way", []),
            "deleting what is attended to": ("probability lost, beyond random", []),
        }
        measured, way, lost = (points for _, points in columns.values())
        for cell, at in models:
            about = {"dataset": cell[0], "at": at}
            calibrated, beyond = (paper.seeds(cell, tau + ending) for ending in (CALIBRATED, BEYOND))
            measured += _point(paper.seeds(cell, tau), **about)
            measured += _point(paper.seeds(cell, f"{tau} permuted"), **about, control="yes")
            way += _point(calibrated, **about)
            way += _point(calibrated - beyond, **about, control="yes")
            of = (paper.seeds(cell, f"{COMPREHENSIVENESS}({m})") for m in ("attention", RANDOM))
            lost += _point(next(of) - next(of), **about)
        x, colour = _x([*_places(paper).values()]), _colour("dataset", _datasets(paper))
        panels = [
            alt.layer(*_marks(points, x, colour, axis)).properties(
                width=250, height=180, title=f"{name}: {title}"
            )
            for title, (axis, points) in columns.items()
        ]
        rows.append(alt.hconcat(*panels))
    return finish(alt.vconcat(*rows))


def by_sparsity(paper: PaperNumbers) -> dict[str, Any]:
    """Figure 3: τ of attention with inputs against λ, a panel a model; the ceiling is dashed."""
    panels = []
    for data in _datasets(paper):
        for encoder in SHOWN:
            points: list[dict[str, Any]] = []
            limit: list[dict[str, Any]] = []
            for cell, at in _models(paper, encoder):
                if cell[0] != data:
                    continue
                for measure, word in MEASURES.items():
                    tau = paper.seeds(cell, _tau(measure))
                    points += _point(tau, at=at, line=word)
                    permuted = paper.seeds(cell, f"{_tau(measure)} permuted")
                    points += _point(permuted, at=at, line=word, control="yes")
                most = ceiling(tau, paper.seeds(cell, _tau(measure) + CALIBRATED))
                limit += _point(most, at=at) if at != DENSE else ()
            x, colour = _x([*_places(paper).values()]), _colour("line", [*MEASURES.values()])
            dashed = alt.Chart(alt.InlineData(limit)).mark_line(color=GREY, strokeDash=[4, 3])
            layers = [*_marks(points, x, colour, "τ with attention"), dashed.encode(x=x, y="mean:Q")]
            chart = alt.layer(*layers).properties(width=250, height=170, title=f"{data}, {encoder}")
            panels += [chart] if points else []
    return finish(alt.concat(*panels, columns=2))


def entropies(paper: PaperNumbers) -> dict[str, Any]:
    """How dispersed the importance of inputs is against λ, a panel a measure and encoder."""
    panels = []
    for measure, word in MEASURES.items():
        for encoder, name in SHOWN.items():
            points = [
                point
                for cell, at in _models(paper, encoder)
                for point in _point(paper.seeds(cell, f"entropy({measure})"), dataset=cell[0], at=at)
            ]
            x, colour = _x([*_places(paper).values()]), _colour("dataset", _datasets(paper))
            layers = _marks(points, x, colour, "normalised entropy", from_zero=False)
            chart = alt.layer(*layers).properties(width=250, height=150, title=f"{word}, {name}")
            panels.append(chart)
    return finish(alt.concat(*panels, columns=2))


def inputs_and_states(paper: PaperNumbers) -> dict[str, Any]:
    """Figures 1 and 4: attention against inputs and against hidden states, with both controls."""
    shapes = {"permuted": "triangle-up", "untrained": "diamond", "ceiling": "M0,-1.4L0,1.4"}
    over = {"": "inputs", "[hidden]": "hidden states"}
    panels = []
    for measure, word in MEASURES.items():
        bars: list[dict[str, Any]] = []
        marks: list[dict[str, Any]] = []
        for cell in (cell for cell in paper.cells if cell[-1] in (DENSE, "sparsemax")):
            for ending, layer in over.items():
                name = _tau(f"{measure}{ending}")
                about = {"model": f"{cell[0]}, {cell[1]}, {cell[-1]}", "over": layer}
                tau = paper.seeds(cell, name)
                bars += _point(tau, **about)
                beside = {k: paper.seeds(cell, f"{name} {k}") for k in ("permuted", "untrained")}
                beside["ceiling"] = ceiling(tau, paper.seeds(cell, name + CALIBRATED))
                marks += [about | {"kind": k, "x": v.mean} for k, v in beside.items() if v]
        y = alt.Y("model:N", sort=None, title=None, axis=alt.Axis(labelLimit=230))
        offset = alt.YOffset("over:N", sort=[*over.values()])
        x = alt.X("mean:Q", scale=alt.Scale(domain=[-0.25, 1.0]), title="τ with attention")
        shape = alt.Shape(
            "kind:N", title=None, scale=alt.Scale(domain=[*shapes], range=[*shapes.values()])
        )
        bar = alt.Chart(alt.InlineData(bars)).encode(y=y, yOffset=offset)
        mark = alt.Chart(alt.InlineData(marks)).mark_point(size=45, color="#222", strokeWidth=1.5)
        layers = [
            bar.mark_bar(opacity=0.75).encode(x=x, color=_colour("over", [*over.values()])),
            mark.encode(y=y, yOffset=offset, x="x:Q", shape=shape),
        ]
        panels.append(alt.layer(*layers).properties(width=320, height=alt.Step(13), title=word))
    return finish(alt.hconcat(*panels))
