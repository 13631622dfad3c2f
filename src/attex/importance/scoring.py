"""Score a whole split with a measure, in pieces that survive a kill."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from attex.data.batch import ALIKE, Batcher, like_batches, padded_sizes
from attex.foundations.memory import sharers
from attex.foundations.progress import say, track
from attex.foundations.storage import Damaged, read_tensors, write_tensors
from attex.importance.measure import Measure
from attex.models.classifier import AttentionModel

PIECE_TOKENS = {"cpu": 8_192, "cuda": 393_216}
"""Padded tokens scored between two files on disk, fewer for large encoders; a GPU needs many to be worth
launching."""


def score_texts(
    model: AttentionModel,
    measure: Measure,
    texts: Batcher,
    folder: Path,
    what: str,
    growth: int = 1,
) -> Tensor:
    """Return the scores of all words of all texts, flat and in the corpus' order, in float64.

    Each batch is written as it is done and not computed again. Batches are cut the same way
    whatever was done before, so a resumed scoring is the same to the bit on CPU. A GPU that others
    use too is given less at a time. `growth` is the power of a text's length that the work grows with:
    so it is told how far it is.
    """
    model.eval()
    starts = np.concatenate([[0], texts.words.cumsum()])
    flat = torch.empty(int(starts[-1]), dtype=torch.float64)
    tokens = PIECE_TOKENS[texts.device.type] // sharers() // model.encoder.memory_factor
    batches = like_batches(texts.lengths, tokens, texts.asked)
    # Cut otherwise, other texts would lie in a piece of the same number.
    cut = f"{ALIKE}-{tokens}" if texts.asked is None else f"{ALIKE}-{tokens}-asked"
    pieces = [folder / f"piece-{cut}-{n:05d}.safetensors" for n in range(len(batches))]
    sizes = padded_sizes(texts.lengths, batches, growth)
    # What a killed scoring has left is no work any more.
    to_do = [0.0 if piece.exists() else size for piece, size in zip(pieces, sizes, strict=True)]
    for number, chosen in enumerate(track(batches, what, len(batches), to_do)):
        piece, batch = pieces[number], texts.batch(chosen)
        scores = _left_before(piece)
        if scores is None:
            scores = measure(model, batch).cpu()
            write_tensors(piece, {"scores": scores})
        by_word = batch.to("cpu").by_word(scores, int(texts.words[chosen].max()))
        for row, text in enumerate(chosen):
            flat[starts[text] : starts[text + 1]] = by_word[row, : texts.words[text]]
    return flat


def _left_before(piece: Path) -> Tensor | None:
    """Return the scores that a killed scoring has left, if they are what it wrote."""
    if not piece.exists():
        return None
    try:
        return read_tensors(piece)[0]["scores"]
    except Damaged as damage:
        say(f"  {damage}; it is made again")
        return None
