"""Small models and batches that tests of several rooms share."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch
from torch import nn

from attex.data.batch import Batch
from attex.importance.measure import MEASURES, Measure, made
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.attention import ATTENTIONS
from attex.models.classifier import AttentionModel
from attex.models.encoder import ENCODERS
from attex.models.projection import PROJECTIONS
from attex.testing.models import small_corpus

VOCABULARY, WIDTH, HIDDEN = 50, 12, 8
PAD, START, END = 0, 2, 3


WORD_ENCODERS = [entry for entry in ENCODERS if not entry.target.reads_pieces]  # type: ignore[attr-defined]
"""Encoders that need nothing beside words; a pretrained one has a folder."""


def captum() -> Any:
    """Return Captum's attribution methods; a test that needs them is skipped where they are not."""
    return pytest.importorskip("captum.attr", reason="needs captum: pip install 'attex[explain]'")


def sized(encoder: str) -> dict[str, object]:
    """Choose an encoder, small where it has a width of its own."""
    has_width = "hidden" in ENCODERS[encoder].options.model_fields
    return {"type": encoder} | ({"hidden": HIDDEN} if has_width else {})


def takes_projection(attention: str) -> bool:
    return "projection" in ATTENTIONS[attention].options.model_fields


FEW = {"samples": 64, "steps": 4}
"""As many as keep a measure cheap that has such an option."""

FEWER = {"gradient_shap": {"samples": 4}, "deep_lift_shap": {"samples": 2}}
"""Of measures that take a gradient for every sample."""


def few(measure: str) -> dict[str, Any]:
    """Return the options of a measure that keep it cheap."""
    fields = MEASURES[measure].options.model_fields
    return {option: count for option, count in FEW.items() if option in fields} | FEWER.get(measure, {})


def cheap(measure: str) -> Measure:
    """Return a measure as cheap as it can be."""
    return made(MEASURES.spec({"type": measure} | few(measure)), small_corpus())


BY_ENCODER = {
    "attention",
    "gradient",
    "gradient_norm",
    "gradient_norm[hidden]",
    "input_x_gradient",
    "leave_one_out",
    "leave_one_out[hidden]",
    "random",
}
"""Measures that are quick, or have a way of their own for some encoders: tried on all kinds of model."""

EVERY = 7
"""Of the kinds of model every so many is tried with each other measure, and all with `--all`."""


def with_measures(kinds: Sequence[Any]) -> list[Any]:
    """Pair kinds of models with measures; kinds take turns with those that are not `BY_ENCODER`."""
    return [
        pytest.param(kind, measure.name, marks=[] if its_turn else pytest.mark.only_with_all)
        for number, measure in enumerate(MEASURES)
        for place, kind in enumerate(k for k in kinds if measure.name in measures_of(k[0]))
        for its_turn in [measure.name in BY_ENCODER or (place + number) % EVERY == 0]
    ]


def measures_of(encoder: str) -> list[str]:
    """Name the measures that models with such an encoder can have."""
    stacked = encoder == "transformer"
    return [entry.name for entry in MEASURES if stacked or not needs_layers(entry.name)]


def needs_layers(measure: str) -> bool:
    facts = MEASURES[measure].facts
    return facts["needs"] == "layers" and not facts["needs_if"]


BATCH_DEPENDENT = {"softmax_over_padding"}
"""What was published so; every other projection must not look at padding."""

KINDS = [
    (encoder.name, attention.name, projection.name)
    for encoder, attention, projection in product(WORD_ENCODERS, ATTENTIONS, PROJECTIONS)
    if projection.name not in BATCH_DEPENDENT
    and (takes_projection(attention.name) or projection.name == "softmax")
]


def make_model(
    encoder: str = "lstm",
    attention: str = "tanh",
    projection: str = "softmax",
    classes: int = 2,
    seed: int = 0,
    spread: float = 1.5,
    decoder: str = "linear",
    query: dict[str, Any] | None = None,
    encoding: dict[str, Any] | None = None,
) -> AttentionModel:
    """Build a small random model; `spread` is large enough to make its attention uneven.

    `encoding` are options of the encoder.
    """
    projected = {"projection": projection} if takes_projection(attention) else {}
    parts = {
        "embedding_width": WIDTH,
        "encoder": sized(encoder) | (encoding or {}),
        "attention": {"type": attention} | projected,
        "decoder": decoder,
        "query": query,
    }
    model = assemble(MODELS.spec(parts), VOCABULARY, classes, seed)
    torch.manual_seed(seed)
    for module in (model.attention, model.decoder):
        for parameter in module.parameters():
            # A single number is the power of a projection: some amplify rounding.
            if parameter.dim():
                nn.init.normal_(parameter, std=spread)
    return model.eval()


def make_batch(lengths: list[int], seed: int = 0, extra_padding: int = 0) -> Batch:
    """Draw texts of the given lengths, each between markers; text i is the same in any batch."""
    width = max(lengths) + 2 + extra_padding
    tokens = torch.full((len(lengths), width), PAD)
    for row, length in enumerate(lengths):
        generator = torch.Generator().manual_seed(seed * 1000 + row)
        tokens[row, 0] = START
        tokens[row, 1 : length + 1] = torch.randint(4, VOCABULARY, (length,), generator=generator)
        tokens[row, length + 1] = END
    position = torch.arange(width)
    length = torch.tensor(lengths)[:, None]
    mask = position < length + 2
    return Batch(
        tokens=tokens,
        mask=mask,
        scorable=mask & (position > 0) & (position < length + 1),
        labels=torch.arange(len(lengths)) % 2,
        ids=torch.arange(len(lengths)),
    )


ASKED = [5, 1, 3, 9, 2]
"""Lengths of queries."""


def with_query(batch: Batch, lengths: list[int], classes: int | None = None, seed: int = 7) -> Batch:
    """Ask a query of every text; with `classes` some of them are candidates, the label among them."""
    query = make_batch(lengths, seed)
    allowed = None
    if classes is not None:
        generator = torch.Generator().manual_seed(seed)
        allowed = torch.rand(len(batch), classes, generator=generator) < 0.6
        allowed = allowed.scatter(1, batch.labels[:, None], True)
    return replace(batch, query=replace(query, labels=batch.labels, ids=batch.ids), allowed=allowed)


def rows_of(batch: Batch, rows: list[int], width: int, query_width: int | None = None) -> Batch:
    """Take some texts of a batch, padded or cut to another width, their queries to one of their own."""

    def cut(values: torch.Tensor, filler: int) -> torch.Tensor:
        chosen = values[rows][:, :width]
        padding = chosen.new_full((len(rows), max(0, width - chosen.shape[1])), filler)
        return torch.cat([chosen, padding], dim=1)

    return Batch(
        cut(batch.tokens, PAD),
        cut(batch.mask, 0),
        cut(batch.scorable, 0),
        batch.labels[rows],
        batch.ids[rows],
        query=None if batch.query is None else rows_of(batch.query, rows, query_width or width),
        allowed=None if batch.allowed is None else batch.allowed[rows],
    )
