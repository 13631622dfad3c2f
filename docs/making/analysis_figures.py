"""The figures of docs/analyses: one text through the tests, and what runs draw themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import altair as alt
import torch
from torch import Tensor

import attex
from attex.agreement import calibrate
from attex.charts.style import GREY, PALETTE, finish
from attex.counterfactual import adversarial_exact, permute
from attex.data.batch import Batch, Batcher
from attex.data.corpus import build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.importance.influence import influence_on_states
from attex.models.decoder import Readout

TEXT = 7
"""A test text that all three models decide rightly, each attending to something else."""

SEED, ADVERSARIES, EPSILON = 0, (0, 2), 0.01
WHOSE = ["the model's own", "the exact adversary"]
FROM_THE_RUN = ("departure", "erasure", "log_odds", "contextualisation_kendall_tau", "faithfulness")
"""Figures that a run draws, which say enough as they are."""
FROM_DECEPTION = ("impermissible",)
"""The same, of models that were trained to hide the words that decide."""


@dataclass(frozen=True)
class Reading:
    """What one model makes of the text, markers left out: attention and leave-one-out [T], readout."""

    seed: int
    attention: Tensor
    leave_one_out: Tensor
    readout: Readout
    output: float
    influence: Tensor


@dataclass(frozen=True)
class Subject:
    """The text and what every model makes of it."""

    words: list[str]
    truth: list[bool]
    readings: dict[int, Reading]

    @property
    def places(self) -> list[str]:
        """The words as labels: a word may stand in a text twice."""
        return [f"{place + 1} {word}" for place, word in enumerate(self.words)]


def figures(run: attex.Run) -> Iterator[tuple[str, dict[str, Any]]]:
    """Draw the figures, each with the name of its file."""
    subject = _subject(run)
    yield "analysis_agreement", agreement(subject)
    yield "analysis_permutation", permutation(subject)
    yield "analysis_adversarial", adversarial(subject)
    yield "analysis_dispersion", dispersion(subject)
    yield "analysis_truth", truth(subject)


def agreement(subject: Subject) -> dict[str, Any]:
    """Draw the agreement of attention and leave-one-out beside what shuffled attention has."""
    one = subject.readings[SEED]
    everything = torch.ones(1, len(subject.words), dtype=torch.bool)
    found = calibrate("kendall_tau", one.attention[None], one.leave_one_out[None], everything)
    drawn = [{"τ": round(value, 4)} for value in found.drawn[0].tolist()]
    marks = {
        "null, the mean of the shuffles": found.null.item(),
        "observed": found.observed.item(),
        "ceiling": found.ceiling.item(),
    }
    rows = [{"τ": value, "what": f"{what}: {value:.2f}"} for what, value in marks.items()]
    axis = alt.Axis(values=[-1, -0.5, 0, 0.5, 1], grid=False)
    scale = alt.Scale(domain=[-1, 1.05])
    x = alt.X("τ:Q", bin=alt.Bin(step=0.05), scale=scale, axis=axis, title="Kendall's τ")
    bars = alt.Chart(alt.InlineData(drawn)).mark_bar(color="#d6d6d6")
    bars = bars.encode(x=x, y=alt.Y("count():Q", title=f"of {len(drawn)} shuffles"))
    colours = alt.Scale(domain=[row["what"] for row in rows], range=[GREY, *PALETTE[:2]])
    rules = alt.Chart(alt.InlineData(rows)).mark_rule(strokeWidth=3)
    rules = rules.encode(x="τ:Q", color=alt.Color("what:N", scale=colours))
    title = f"τ(attention, leave-one-out) of one text: calibrated {found.calibrated:.2f}"
    return finish((bars + rules).properties(width=560, height=220, title=title))


def permutation(subject: Subject) -> dict[str, Any]:
    """Draw how far the output moves under each permutation of the attention, a row a model."""
    points, medians = [], []
    everything = torch.ones(1, len(subject.words), dtype=torch.bool)
    for one in subject.readings.values():
        change = permute(one.readout, one.attention[None], everything)[0]
        row = {"model": f"seed {one.seed}: highest weight {one.attention.max():.2f}"}
        points += [row | {"change": round(value, 4)} for value in change.tolist()]
        medians.append(row | {"change": change.median().item()})
    y = alt.Y("model:N", title=None, axis=alt.Axis(labelLimit=260))
    x = alt.X("change:Q", title="change of the output (TVD)", scale=alt.Scale(domain=[0, 1]))
    dots = alt.Chart(alt.InlineData(points)).mark_point(filled=True, size=30, opacity=0.35)
    ticks = alt.Chart(alt.InlineData(medians)).mark_tick(thickness=3, size=30, color=PALETTE[1])
    layers = dots.encode(y=y, x=x, color=alt.value(PALETTE[0])) + ticks.encode(y=y, x=x)
    title = "One text, its attention shuffled 100 times (tick: the median)"
    return finish(layers.properties(width=460, height=150, title=title))


def adversarial(subject: Subject) -> dict[str, Any]:
    """Draw the attention of two models, and the most different ones that keep their output."""
    panels = [_adversary(subject, subject.readings[seed]) for seed in ADVERSARIES]
    return finish(alt.vconcat(*panels))


def _adversary(subject: Subject, one: Reading) -> alt.Chart:
    values = one.readout.values[..., 0]
    bias = one.readout.head(torch.zeros(1, dtype=values.dtype)).item()
    everything = torch.ones(1, len(subject.words), dtype=torch.bool)
    jsd, other = adversarial_exact(values, one.attention[None], everything, bias, EPSILON)
    moved = torch.sigmoid((values[0] * other[0]).sum() + bias).item()
    rows = [
        {"word": place, "weight": weight, "whose": whose}
        for whose, weights in zip(WHOSE, (one.attention, other[0]), strict=True)
        for place, weight in zip(subject.places, weights.tolist(), strict=True)
    ]
    title = f"Seed {one.seed}: P(positive) {one.output:.3f} and {moved:.3f}, "
    title += f"JSD {jsd.item():.3f} of at most 0.693"
    return (
        alt.Chart(alt.InlineData(rows), title=title)
        .mark_bar()
        .encode(
            x=alt.X("word:N", sort=subject.places, title=None, axis=alt.Axis(labelAngle=-40)),
            xOffset=alt.XOffset("whose:N", sort=WHOSE),
            y=alt.Y("weight:Q", title="attention", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("whose:N", scale=alt.Scale(domain=WHOSE, range=PALETTE[:2])),
        )
        .properties(width=600, height=130)
    )


def dispersion(subject: Subject) -> dict[str, Any]:
    """Draw the share of every word in every hidden state of one model."""
    one = subject.readings[SEED]
    rows = [
        {"state": state, "word": word, "share": round(share, 4)}
        for state, shares in zip(subject.places, one.influence.tolist(), strict=True)
        for word, share in zip(subject.places, shares, strict=True)
    ]
    shares = one.influence
    entropy = (-(shares * shares.log()).sum(dim=1) / torch.tensor(float(len(shares))).log()).mean()
    cells = alt.Chart(alt.InlineData(rows)).mark_rect()
    cells = cells.encode(
        x=alt.X("word:N", sort=subject.places, title="word", axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("state:N", sort=subject.places, title="hidden state at"),
        color=alt.Color(
            "share:Q", scale=alt.Scale(scheme="blues"), legend=alt.Legend(title="share", orient="right")
        ),
    )
    title = f"Where each hidden state comes from (normalised entropy {entropy.item():.2f})"
    return finish(cells.properties(width=420, height=320, title=title))


def truth(subject: Subject) -> dict[str, Any]:
    """Draw what every model attends to, and what one of them rests on, beside the words that decide."""
    rows = [
        {"word": place, "score": round(score, 4), "measure": measure}
        for measure, scores in _strips(subject)
        for place, score in zip(subject.places, scores.tolist(), strict=True)
    ]
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    decide = [place for place, true in zip(subject.places, subject.truth, strict=True) if true]
    x = alt.X("word:N", sort=subject.places, title=None, axis=alt.Axis(labelAngle=-40))
    y = alt.Y("measure:N", sort=measures, title=None, axis=alt.Axis(labelLimit=260))
    cells = alt.Chart(alt.InlineData(rows)).mark_rect(stroke="#fff")
    shade = alt.Scale(scheme="blues", domain=[0, 1])
    cells = cells.encode(
        x=x,
        y=y,
        color=alt.Color("score:Q", scale=shade, legend=alt.Legend(title="share", orient="right")),
    )
    marks = [{"word": place, "measure": measure} for place in decide for measure in measures]
    frames = alt.Chart(alt.InlineData(marks)).mark_rect(
        fill=None, fillOpacity=0, stroke=PALETTE[1], strokeWidth=2
    )
    title = "Framed: the two words that decide. Each row adds up to 1"
    layers = cells + frames.encode(x=x, y=y)
    return finish(layers.properties(width=520, height=30 * len(measures), title=title))


def _strips(subject: Subject) -> Iterator[tuple[str, Tensor]]:
    for one in subject.readings.values():
        yield f"attention, seed {one.seed}", one.attention
    for one in subject.readings.values():
        yield f"leave-one-out, seed {one.seed}", one.leave_one_out / one.leave_one_out.sum()


def _subject(run: attex.Run) -> Subject:
    reader = READERS.bind(READERS.spec(run.config["data"]))
    corpus = build_corpus(reader, DataFolder.at(None))
    batcher = Batcher(corpus, "test")
    batch = batcher.batch([TEXT])
    words = slice(batcher.margin, batch.tokens.shape[1] - batcher.margin)
    assert batch.truth is not None
    readings = {seed: _reading(run, seed, batch, words) for seed in run.config["seeds"]}
    return Subject(corpus.tokens("test", TEXT), batch.truth[0, words].tolist(), readings)


def _reading(run: attex.Run, seed: int, batch: Batch, words: slice) -> Reading:
    model = run.model(seed)
    with torch.no_grad():
        hidden = model.encode(model.embed(batch), batch)
        attention = model.attend(hidden, batch)[0, words].double()
        readout = model.readout(hidden, batch)
        output = torch.sigmoid(model(batch).logits[0, 0]).item()
        scores = attex.importance.leave_one_out(model, batch)[0, words]
        ((_, influence),) = influence_on_states(model, batch)
    # In double precision, as the analyses read a model.
    readout = Readout(readout.values[:, words].double(), readout.head, readout.linear)
    return Reading(seed, attention, scores, readout, output, influence[0, words, words])
