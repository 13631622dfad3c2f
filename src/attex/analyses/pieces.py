"""Findings about some texts at a time, put together."""

from collections.abc import Iterable, Mapping

import numpy as np
from torch import Tensor

Piece = tuple[np.ndarray, Mapping[str, Tensor]]
"""The numbers of some texts in their split, and columns [b,…] about them."""


def put_together(pieces: Iterable[Piece], texts: int) -> dict[str, Tensor]:
    """Bring pieces, which hold every text once, into the order of the split: [texts,…] on the CPU."""
    columns: dict[str, Tensor] = {}
    for chosen, piece in pieces:
        for name, part in piece.items():
            if name not in columns:
                columns[name] = part.new_empty(texts, *part.shape[1:], device="cpu")
            columns[name][chosen] = part.cpu()
    return columns
