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
