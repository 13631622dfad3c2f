"""Between flat arrays over all texts and padded matrices over some."""

import numpy as np
import torch
from torch import Tensor


def pad(flat: Tensor, starts: Tensor, texts: np.ndarray) -> tuple[Tensor, Tensor]:
    """Lay the named texts' values side by side: values [B,T] and mask [B,T].

    Off the mask stands the text's first value, which nothing may read.
    """
    index = torch.from_numpy(texts)
    first, length = starts[index], starts[index + 1] - starts[index]
    position = torch.arange(int(length.max()) if len(texts) else 0)
    mask = position < length[:, None]
    return flat[(first[:, None] + position).where(mask, first[:, None])], mask


def interleaved(first: Tensor, starts: Tensor, second: Tensor, second_starts: Tensor) -> Tensor:
    """Lay what is flat of each text before what is of its query: [Σn], [N+1], [Σu], [N+1] → [Σ(n+u)]."""
    both = first.new_empty(len(first) + len(second))
    text, asked = (torch.arange(len(s) - 1).repeat_interleave(s.diff()) for s in (starts, second_starts))
    both[torch.arange(len(first)) + second_starts[text]] = first
    both[torch.arange(len(second)) + starts[asked + 1]] = second
    return both
