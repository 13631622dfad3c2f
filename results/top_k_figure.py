"""The figure of Neely & Schouten's page: sparse attention in the top-k, beside chance and ceiling."""

from typing import Any

import altair as alt

from attex.charts.style import GREY, PALETTE, finish
from attex.claims.numbers import BASE
from results.by_seed import chance
from results.paper_numbers import PaperNumbers

PANELS = {
    "top_k_published(k=non_zero)": "The published statistic",
    "top_k(k=non_zero)": "The corrected statistic",
}
MEASURES = {"gradient": "gradient", "leave_one_out": "leave-one-out"}
MARKS = {"measured": PALETTE[0], "chance": PALETTE[1], "ceiling": GREY, "published": "#222"}
CORRECTED, MENDED = "neely_schouten_2020_corrected", "released faults mended"
"""The study without the faults of the released code, and its setting that swaps nothing else."""


def top_k(paper: PaperNumbers) -> dict[str, Any]:
    """Draw sparse tanh attention under both statistics: the mean and the range over seeds.

    Models with the faults of the released code, and without them where those have been trained.
    """
    panels = []
    for statistic, title in PANELS.items():
        rows = [*_rows(paper, statistic)]
        y = alt.Y("row:N", sort=None, title=None, axis=alt.Axis(labelLimit=260))
        x = alt.X("place:Q", scale=alt.Scale(domain=[-1, 1]), title="mean agreement over texts")
        scale = alt.Scale(domain=[*MARKS], range=[*MARKS.values()])
        colour = alt.Color("what:N", scale=scale, title=None, legend=alt.Legend(symbolType="square"))
        base = alt.Chart().encode(y=y, color=colour)
        of = {what: [row for row in rows if row["what"] == what] for what in MARKS}
        layers = [
            base.mark_tick(thickness=4, size=20, opacity=1)
            .encode(x=x)
            .properties(data=alt.InlineData([*of["ceiling"], *of["chance"]])),
            base.mark_rule(strokeWidth=4)
            .encode(x="low:Q", x2="high:Q")
            .properties(data=alt.InlineData(of["measured"])),
            base.mark_point(filled=True, size=90, opacity=1)
            .encode(x=x)
            .properties(data=alt.InlineData(of["measured"])),
            base.mark_point(shape="diamond", size=70, filled=False, strokeWidth=1.5)
            .encode(x=x)
            .properties(data=alt.InlineData(of["published"])),
        ]
        panels.append(alt.layer(*layers).properties(width=330, height=alt.Step(34), title=title))
    return finish(alt.hconcat(*panels))


def _rows(paper: PaperNumbers, statistic: str) -> Any:
    """Yield a mark each: what it is, in which row, and where."""
    studies = {"": (paper, BASE), ", without faults": (paper.further(CORRECTED), MENDED)}
    for data in ("sst", "imdb"):
        cell = (data, "lstm", "tanh", "sparsemax")
        for measure, word in MEASURES.items():
            name = f"{statistic}(attention, {measure})"
            for ending, (study, setting) in studies.items():
                ours = study.seeds(cell, name, setting)
                if not ours:
                    continue
                row = {"row": f"{data.upper()}, {word}{ending}"}
                ends = {"low": ours.least, "high": ours.most}
                yield row | {"what": "measured", "place": ours.mean} | ends
                by_chance = chance(ours, study.seeds(cell, f"{name} calibrated", setting))
                yield row | {"what": "chance", "place": by_chance.mean}
                yield row | {"what": "ceiling", "place": 1.0}
                for class_ in ("positive", "negative") if not ending else ():
                    theirs = paper.published(cell, name, class_)
                    if theirs is not None:
                        yield row | {"what": "published", "place": theirs}
