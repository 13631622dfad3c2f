"""Small random models and texts to try a measure on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from attex.data.batch import Batch
from attex.data.corpus import END, PAD, SPECIALS, START
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel

_LENGTHS = (7, 1, 12, 2, 5)
"""One text of a single token: a measure may have nothing to say of it."""

_VOCABULARY, _WIDTH, _HIDDEN = 20, 12, 8
"""So few words that texts share some, and some stand twice in a text."""

_SPREAD = 0.5
"""Larger weights would amplify what the recurrences of a GPU and of a CPU differ by."""

_KINDS = (
    ("lstm", "tanh", "softmax", 2, True),
    ("lstm", "tanh", "sparsemax", 3, True),
    ("average", "tanh", "softmax", 3, False),
    ("cnn", "sdp", "softmax", 2, True),
    ("transformer", "tanh", "entmax15", 2, False),
)
"""Encoder, attention, projection, classes, and whether texts stand between markers."""


def models_and_texts() -> Iterator[tuple[str, AttentionModel, Batch]]:
    """Make each model with texts of several lengths for it, the same every time."""
    for encoder, attention, projection, classes, markers in _KINDS:
        # The caller's own draws go on as if nothing had been drawn here.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            model = _model(encoder, attention, projection, classes)
            batch = _batch(classes, int(markers))
        between = "with" if markers else "without"
        yield f"{encoder}, {attention}, {projection}, {classes} classes, {between} markers", model, batch


def take(batch: Batch, rows: Sequence[int], width: int) -> Batch:
    """Take some texts of a batch, padded or cut to a width."""

    def cut(values: Tensor, filler: int) -> Tensor:
        chosen = values[[*rows], :width]
        padding = chosen.new_full((len(rows), width - chosen.shape[1]), filler)
        return torch.cat([chosen, padding], dim=1)

    return replace(
        batch,
        tokens=cut(batch.tokens, PAD),
        mask=cut(batch.mask, False),
        scorable=cut(batch.scorable, False),
        labels=batch.labels[[*rows]],
        ids=batch.ids[[*rows]],
    )


def _model(encoder: str, attention: str, projection: str, classes: int) -> AttentionModel:
    parts = {
        "embedding_width": _WIDTH,
        "encoder": {"type": encoder, "hidden": _HIDDEN},
        "attention": {"type": attention, "projection": projection},
    }
    model = assemble(MODELS.spec(parts), _VOCABULARY, classes, seed=0)
    for module in (model.attention, model.decoder):
        for parameter in module.parameters():
            # As torch starts them, attention would be all but uniform and every output alike.
            nn.init.normal_(parameter, std=_SPREAD)
    return model.eval()


def _batch(classes: int, margin: int) -> Batch:
    length = torch.tensor(_LENGTHS)[:, None] + 2 * margin
    position = torch.arange(int(length.max()))
    mask = position < length
    scorable = mask & (position >= margin) & (position < length - margin)
    words = torch.randint(len(SPECIALS), _VOCABULARY, mask.shape)
    markers = torch.where(position == 0, START, END)
    tokens = words.where(scorable, markers.where(mask, PAD))
    number = torch.arange(len(_LENGTHS))
    return Batch(tokens, mask, scorable, labels=number % classes, ids=1000 + 7 * number)
