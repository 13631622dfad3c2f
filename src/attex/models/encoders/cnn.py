"""Parallel convolutions of several widths."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import torch
from pydantic import Field
from torch import Tensor, nn

from attex.foundations.errors import UserError
from attex.foundations.memory import spans
from attex.foundations.progress import steps
from attex.models.encoder import ENCODERS, Deletions, Encoded, Encoder, Width
from attex.models.reads import Read

OddWidth = Annotated[int, Field(ge=1, le=255)]


@ENCODERS.register("cnn", cite="Kim 2014; Jain & Wallace 2019")
class CNN(Encoder):
    """Convolutions side by side: h_t = ReLU([conv_1 ; … ; conv_k](e)_t).

    embedded [B,T,d] → hidden [B,T,hidden]; each of the `widths` has an equal share of the `hidden`
    filters and sees that many tokens centred on t, zeros beyond the text.
    """

    def __init__(
        self,
        embedding_width: int,
        *,
        hidden: Width = 128,
        widths: Annotated[tuple[OddWidth, ...], Field(min_length=1, max_length=16)] = (1, 3, 5, 7),
    ) -> None:
        super().__init__()
        if any(width % 2 == 0 for width in widths) or hidden % len(widths):
            raise UserError(
                f"model.encoder: widths {list(widths)} must be odd, and hidden {hidden} a multiple of "
                f"their number {len(widths)}"
            )
        self.width = hidden
        self.widths = widths
        self.filters = hidden // len(widths)
        self.weight = nn.Parameter(torch.empty(self.filters * sum(widths), embedding_width))
        self.bias = nn.Parameter(torch.empty(hidden))
        self._initialise(embedding_width)

    @property
    def reach(self) -> int:
        """Half of the widest window."""
        return max(self.widths) // 2

    def forward(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Convolve as if zeros lay around each text.

        What every token adds to every filter at every offset is one product for all widths; a
        convolution then only shifts and adds. (cuDNN's own takes nine times as long in float32.)
        """
        return torch.relu(self.filtered(embedded, mask)).masked_fill(~mask[..., None], 0.0)

    def filtered(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Convolve, and leave the ReLU out: [B,T,hidden]."""
        return _shift_and_add(self._products(embedded, mask), self.widths, 0) + self.bias

    def summary(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Take the highest of every filter; none is below the 0 of padding."""
        return hidden.amax(dim=1)

    @torch.no_grad()
    def without_each(self, whole: Encoded, reads: Sequence[Read], budget: int) -> Iterator[Deletions]:
        """Convolve anew only where a window reaches over the deleted token.

        Position j without token j + gap is the same state whichever way one comes to it, so that all
        variants together take one convolution for each gap.
        """
        reach, length = self.reach, whole.mask.shape[1]
        products = self._products(whole.embedded, whole.mask)
        gaps = [gap for gap in range(-reach, reach + 1) if gap]
        values = [read(whole.hidden) for read in reads]
        windows = [_shift_and_add(products, self.widths, gap) for gap in gaps]
        states = [torch.relu(window + self.bias) for window in windows]
        beside = [[read(state) for state in states] for read in reads]
        texts, positions = whole.deleted.nonzero(as_tuple=True)
        bytes_each = 2 * sum(value[0].numel() * value.element_size() for value in values)
        for span in steps(spans(len(texts), bytes_each, budget)):
            text, position = texts[span], positions[span]
            rows = torch.arange(len(text), device=text.device)
            without = tuple(value[text] for value in values)
            for number, gap in enumerate(gaps):
                place = position - gap
                # Beyond the text there is nothing to write: it falls onto the deleted position.
                place = position.where((place < 0) | (place >= length), place)
                for value, changed in zip(without, beside, strict=True):
                    value[rows, place] = changed[number][text, place]
            yield Deletions(text, position, without)

    def _products(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """What each token adds to each filter at each offset: [B,T,Σw·f], a width behind the other."""
        return (embedded * mask[..., None]) @ self.weight.T

    def _initialise(self, embedding_width: int) -> None:
        """Start each width as torch starts a convolution: uniform in ±1/√(d · width)."""
        rows = torch.tensor([[float(w)] for w in self.widths for _ in range(w * self.filters)])
        each = torch.tensor([float(w) for w in self.widths for _ in range(self.filters)])
        with torch.no_grad():
            self.weight.uniform_(-1, 1).div_((embedding_width * rows).sqrt())
            self.bias.uniform_(-1, 1).div_((embedding_width * each).sqrt())


def _places(
    widths: Sequence[int], filters: int, length: int, gap: int
) -> Iterator[tuple[slice, slice, slice, slice]]:
    """Yield what is added where: places and columns of the products, places and columns of the sums.

    Place t has at offset o what token t + o adds there. From a gap on, the token one further away
    takes the place.
    """
    column = 0
    for number, width in enumerate(widths):
        filtered = slice(number * filters, (number + 1) * filters)
        for offset in range(-(width // 2), width // 2 + 1):
            ahead = offset + int(0 < gap <= offset) - int(offset <= gap < 0)
            read = slice(max(0, ahead), max(0, length + min(0, ahead)))
            written = slice(max(0, -ahead), max(0, length - max(0, ahead)))
            yield read, slice(column, column + filters), written, filtered
            column += filters


class _ShiftAndAdd(torch.autograd.Function):
    """Σ_o what token t + o adds at offset o: products [B,T,Σw·f] → [B,T,k·f].

    Autograd would fill a tensor of the size of all products for every offset on the way back.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(products: Tensor, widths: tuple[int, ...], gap: int) -> Tensor:
        filters = products.shape[-1] // sum(widths)
        sums = products.new_zeros(*products.shape[:-1], filters * len(widths))
        for read, columns, written, filtered in _places(widths, filters, products.shape[-2], gap):
            # With += the sum would be copied onto itself as well.
            sums[..., written, filtered].add_(products[..., read, columns])
        return sums

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, tuple[int, ...], int], output: Tensor) -> None:
        ctx.widths, ctx.gap = inputs[1:]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return _spread(gradient, ctx.widths, ctx.gap), None, None


_shift_and_add: Callable[[Tensor, tuple[int, ...], int], Tensor] = _ShiftAndAdd.apply


def _spread(gradient: Tensor, widths: tuple[int, ...], gap: int) -> Tensor:
    """Give each product what its place among the sums is worth: [B,T,k·f] → [B,T,Σw·f]."""
    filters = gradient.shape[-1] // len(widths)
    products = gradient.new_zeros(*gradient.shape[:-1], filters * sum(widths))
    for read, columns, written, filtered in _places(widths, filters, gradient.shape[-2], gap):
        products[..., read, columns] = gradient[..., written, filtered]
    return products
