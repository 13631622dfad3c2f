"""Score a whole split with a measure, in pieces that survive a kill."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from attex.data.batch import Batcher, ordered_batches
from attex.foundations.progress import track
from attex.foundations.storage import read_tensors, write_tensors
from attex.importance.measure import Measure
from attex.models.classifier import AttentionModel

PIECE_TOKENS = {"cpu": 8_192, "cuda": 393_216}
"""Padded tokens scored between two files on disk; a GPU needs many to be worth launching."""


def score_texts(
    model: AttentionModel, measure: Measure, texts: Batcher, folder: Path, what: str
) -> Tensor:
    """Return the scores of all tokens of all texts, flat and in the corpus' order, in float64.

    Each batch is written as it is done and not computed again. Batches are cut the same way
    whatever was done before, so a resumed scoring is the same to the bit on CPU.
    """
    model.eval()
    margin = texts.margin
    lengths = torch.from_numpy(texts.lengths - 2 * margin)
    starts = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
    flat = torch.empty(int(starts[-1]), dtype=torch.float64)
    batches = ordered_batches(texts.lengths, PIECE_TOKENS[texts.device.type])
    for number, chosen in enumerate(track(batches, what, len(batches))):
        piece = folder / f"piece-{number:05d}.safetensors"
        if not piece.exists():
            write_tensors(piece, {"scores": _score(model, measure, texts, chosen)})
        scores = read_tensors(piece)[0]["scores"]
        for row, text in enumerate(chosen):
            length = int(lengths[text])
            flat[starts[text] : starts[text] + length] = scores[row, margin : margin + length]
    return flat


def _score(model: AttentionModel, measure: Measure, texts: Batcher, chosen: np.ndarray) -> Tensor:
    return measure(model, texts.batch(chosen)).cpu()
