"""The one number per text that scores explain."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from attex.foundations.divergences import distribution

Target = Literal["probability", "logit"]
"""What of the predicted class is explained, as an option."""


@dataclass(frozen=True)
class Explained:
    """The probability, or the logit, of the class that was predicted of the whole text.

    chosen [B] is that class. Of two classes there is one logit z, and the other class has −z.
    """

    chosen: Tensor
    target: Target = "probability"

    @classmethod
    def of(cls, logits: Tensor, target: Target = "probability") -> "Explained":
        """Predict, from the logits [B,O] of the whole texts."""
        if logits.shape[1] == 1:
            return cls((logits[:, 0] > 0).long(), target)
        return cls(logits.argmax(dim=1), target)

    def __call__(self, logits: Tensor) -> Tensor:
        """Return the number explained, of other logits [B,…,O] of the texts: [B,…]."""
        outputs = distribution(logits) if self.target == "probability" else _both(logits)
        index = self.chosen.view(-1, *[1] * (outputs.dim() - 1)).expand(*outputs.shape[:-1], 1)
        return outputs.gather(-1, index).squeeze(-1)

    def __getitem__(self, texts: Tensor | slice) -> "Explained":
        return Explained(self.chosen[texts], self.target)


def _both(logits: Tensor) -> Tensor:
    return torch.cat([-logits, logits], dim=-1) if logits.shape[-1] == 1 else logits
