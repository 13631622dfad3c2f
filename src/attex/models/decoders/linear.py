"""The linear decoder of all single-text models."""

from torch import Tensor, nn

from attex.models.decoder import DECODERS, Decoder
from attex.models.reads import Read, unchanged


@DECODERS.register("linear", cite="Jain & Wallace 2019")
class Linear(Decoder):
    """A linear layer: logits = W c + b, so that s_t = W h_t are token logits.

    context [B,m] → logits [B,O]; O is 1 for two classes, else the number of classes.
    """

    linear = True

    def __init__(self, hidden_width: int, classes: int) -> None:
        super().__init__()
        self.output = nn.Linear(hidden_width, 1 if classes == 2 else classes)

    def read(self, query: Tensor | None = None) -> Read:
        """Read the token logits."""
        return Read(self.output.weight, None, unchanged)

    def head(self, values: Tensor) -> Tensor:
        """Add the bias."""
        return values + self.output.bias
