"""The training loss: cross-entropy, with rare classes weighted up."""

import torch
import torch.nn.functional as F
from torch import Tensor


def class_weights(labels: Tensor, classes: int) -> Tensor:
    """Weigh the classes so that each counts the same in sum.

    Two classes: 1 and #neg/#pos, as Jain & Wallace; several: N/(C·n_c). A class that no text has
    counts as if one had it.
    """
    counts = torch.bincount(labels, minlength=classes).clamp(min=1).float()
    if classes == 2:
        return torch.stack([torch.ones(()), counts[0] / counts[1]])
    return counts.sum() / (classes * counts)


def classification_loss(logits: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    """Weighted binary or categorical cross-entropy, one value a text: [B,O], [B] → [B]."""
    if logits.shape[1] == 1:
        plain = F.binary_cross_entropy_with_logits(
            logits.squeeze(1), labels.to(logits.dtype), reduction="none"
        )
    else:
        plain = F.cross_entropy(logits, labels, reduction="none")
    return plain * weights[labels]
