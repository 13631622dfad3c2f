"""Small random models and texts to try a measure on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from attex.data.batch import Batch
from attex.data.corpus import END, PAD, SPECIALS, START, Corpus
from attex.data.split import Split
from attex.models.architecture import MODELS
from attex.models.assembly import assemble
from attex.models.classifier import AttentionModel

_LENGTHS = (7, 1, 12, 2, 5)
"""One text of a single token: a measure may have nothing to say of it."""

_ASKED = (3, 6, 1, 4, 2)
"""As many tokens are asked of them."""

_VOCABULARY, _WIDTH, _HIDDEN = 20, 12, 8
"""So few words that texts share some, and some stand twice in a text."""

_HEADS = {"transformer": {"heads": 2}}
"""With several heads, so that a measure of them cannot take the first for all."""

_SPREAD = 0.5
"""Larger weights would amplify what the recurrences of a GPU and of a CPU differ by."""

_KINDS = (
    ("lstm", "tanh", "softmax", 2, True, "linear"),
    ("lstm", "tanh", "sparsemax", 3, True, "linear"),
    ("average", "tanh", "softmax", 3, False, "linear"),
    ("cnn", "sdp", "softmax", 2, True, "linear"),
    ("transformer", "tanh", "entmax15", 2, False, "linear"),
    ("gru", "tanh", "softmax", 4, True, "query"),
    ("average", "sdp", "sparsemax", 3, False, "query"),
    ("lstm", "tanh", "softmax", 3, True, "pair"),
    ("transformer", "sdp", "softmax", 3, True, "query"),
)
"""Encoder, attention, projection, classes, whether texts stand between markers, and decoder."""


def models_and_texts() -> Iterator[tuple[str, AttentionModel, Batch]]:
    """Make each model with texts of several lengths for it, the same every time."""
    for encoder, attention, projection, classes, markers, decoder in _KINDS:
        # The caller's own draws go on as if nothing had been drawn here.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            model = _model(encoder, attention, projection, classes, decoder)
            batch = _batch(_LENGTHS, classes, int(markers))
            if model.query is not None:
                query = _batch(_ASKED, classes, int(markers))
                batch = replace(batch, query=query, allowed=_candidates(batch.labels, classes))
        name = f"{encoder}, {attention}, {projection}, {classes} classes, "
        name += f"{'with' if markers else 'without'} markers"
        yield name if decoder == "linear" else f"{name}, with a query (decoder {decoder})", model, batch


def small_corpus() -> Corpus:
    """Make training texts of the same words, for a measure that learns from such."""
    generator = torch.Generator().manual_seed(0)
    lengths = torch.randint(1, 12, (40,), generator=generator)
    starts = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
    words = torch.randint(len(SPECIALS), _VOCABULARY, (int(starts[-1]),), generator=generator)
    names = [f"text {number}" for number in range(len(lengths))]
    labels, ids = torch.arange(len(lengths)) % 2, torch.arange(len(lengths))
    lexicon = [*SPECIALS, *(f"word {number}" for number in range(_VOCABULARY - len(SPECIALS)))]
    split = Split(words, starts, labels, ids, names, None)
    return Corpus(lexicon, _VOCABULARY, ["no", "yes"], {"train": split}, {})


def take(batch: Batch, rows: Sequence[int], width: int) -> Batch:
    """Take some texts of a batch, padded or cut to a width; queries are padded by as much."""

    def cut(values: Tensor, filler: int) -> Tensor:
        chosen = values[[*rows], :width]
        padding = chosen.new_full((len(rows), width - chosen.shape[1]), filler)
        return torch.cat([chosen, padding], dim=1)

    query = batch.query
    if query is not None:
        longest, asked = (int(text.mask[[*rows]].sum(dim=1).max()) for text in (batch, query))
        query = take(query, rows, asked + max(0, width - longest))
    return replace(
        batch,
        tokens=cut(batch.tokens, PAD),
        mask=cut(batch.mask, False),
        scorable=cut(batch.scorable, False),
        labels=batch.labels[[*rows]],
        ids=batch.ids[[*rows]],
        query=query,
        allowed=None if batch.allowed is None else batch.allowed[[*rows]],
        word=None if batch.word is None else cut(batch.word, -1),
        segment=None if batch.segment is None else cut(batch.segment, 0),
    )


def _model(encoder: str, attention: str, projection: str, classes: int, decoder: str) -> AttentionModel:
    parts = {
        "embedding_width": _WIDTH,
        "encoder": {"type": encoder, "hidden": _HIDDEN} | _HEADS.get(encoder, {}),
        "attention": {"type": attention, "projection": projection},
        "decoder": decoder,
        "query": None if decoder == "linear" else {"shared": decoder == "pair"},
    }
    model = assemble(MODELS.spec(parts), _VOCABULARY, classes, seed=0)
    for module in (model.attention, model.decoder):
        for parameter in module.parameters():
            # As torch starts them, attention would be all but uniform and every output alike.
            nn.init.normal_(parameter, std=_SPREAD)
    return model.eval()


def _candidates(labels: Tensor, classes: int) -> Tensor:
    """Mark the label and some other classes of every text: [B,O]."""
    return (torch.rand(len(labels), classes) < 0.5).scatter(1, labels[:, None], True)


def _batch(lengths: Sequence[int], classes: int, margin: int) -> Batch:
    length = torch.tensor(lengths)[:, None] + 2 * margin
    position = torch.arange(int(length.max()))
    mask = position < length
    scorable = mask & (position >= margin) & (position < length - margin)
    words = torch.randint(len(SPECIALS), _VOCABULARY, mask.shape)
    markers = torch.where(position == 0, START, END)
    tokens = words.where(scorable, markers.where(mask, PAD))
    number = torch.arange(len(lengths))
    return Batch(tokens, mask, scorable, labels=number % classes, ids=1000 + 7 * number)
