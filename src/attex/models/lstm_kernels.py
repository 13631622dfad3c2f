"""A training step of an LSTM on a GPU that many share: both directions as one kernel there and one back.

16 texts in one direction are one program, which goes from the first token to the last without waiting
for any other. Rough steps multiply in half precision, whose ten bits are those of TF32, and keep the
weights of a direction of up to 128 units on the chip from the first token to the last; exact steps, and
wider directions, read them anew at every token (how fast: docs/benchmarks.md). Triton comes with torch
where torch has a GPU; this module is imported there only.
"""

from functools import cache
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from attex.foundations.devices import steps_are_exact, training_steps
from attex.foundations.progress import say

WIDEST = 256
"""The widest direction whose gates fit into the registers of one program."""

_ROWS = 16
_WARPS = 8
_STAGES, _STAGES_KEPT = 3, 2
"""How many pieces of what is read are on the way at once: of weights, or of tokens if those are kept."""
_FEWEST = 16
"""Matrix units take no fewer columns."""
_BESIDE = {2: 7, 4: 24}
"""How many times [rows, columns] values Triton has on the chip beside kept weights of so many bytes."""


@triton.jit
def _sigmoid(x):
    return 1.0 / (1.0 + tl.exp(-x))


@triton.jit
def _tanh(x):
    return 2.0 / (1.0 + tl.exp(-2.0 * x)) - 1.0


@triton.jit
def _place(n, t, way):
    """Where step t of a text of n tokens reads: backwards in the second direction, padding last."""
    return tl.where((way == 1) & (t < n), n - 1 - t, t).to(tl.int64)


@triton.jit
def _texts(lengths, batch, rows: tl.constexpr):
    """The texts of a program, whether there are so many, and how many tokens each has."""
    text = tl.program_id(0) * rows + tl.arange(0, rows)
    there = text < batch
    return text, there, tl.load(lengths + text, mask=there, other=0)


@triton.jit(do_not_specialize=["batch", "length"])
def _read(
    gates, before, cells, hidden, weights, lengths, batch, length,
    width: tl.constexpr, columns: tl.constexpr, rows: tl.constexpr, chunk: tl.constexpr,
    precision: tl.constexpr,
):  # fmt: skip
    """Go through texts token by token.

    gates [B,T,2,4H]: what tokens give them, overwritten by the gates; before, cells [B,T,2,H]: the state
    before each token (0 to begin with); hidden [B,T,2H]; weights [2,4H,H], so many columns at a time as
    `chunk` says, or all of them kept on the chip if that is 0; lengths [B].
    """
    text, there, n = _texts(lengths, batch, rows)
    way = tl.program_id(1)
    j = tl.arange(0, columns)
    unit = j < width
    own = there[:, None] & unit[None, :]
    weights += way * 4 * width * width
    if chunk == 0:
        square = weights + j[None, :] * width + j[:, None]
        both = unit[:, None] & unit[None, :]
        to_enter = tl.load(square, mask=both, other=0.0)
        to_forget = tl.load(square + width * width, mask=both, other=0.0)
        to_new = tl.load(square + 2 * width * width, mask=both, other=0.0)
        to_leave = tl.load(square + 3 * width * width, mask=both, other=0.0)
    cell = tl.zeros([rows, columns], tl.float32)
    shown = tl.zeros([rows, columns], tl.float32)
    for t in range(0, length):
        place = text * length + _place(n, t, way)
        gate = gates + (place * 8 * width + way * 4 * width)[:, None] + j[None, :]
        state = (place * 2 * width + way * width)[:, None]
        # Asked for before the products, needed after them.
        enter_in = tl.load(gate, mask=own, other=0.0)
        forget_in = tl.load(gate + width, mask=own, other=0.0)
        new_in = tl.load(gate + 2 * width, mask=own, other=0.0)
        leave_in = tl.load(gate + 3 * width, mask=own, other=0.0)
        enter = tl.zeros([rows, columns], tl.float32)
        forget = tl.zeros([rows, columns], tl.float32)
        new = tl.zeros([rows, columns], tl.float32)
        leave = tl.zeros([rows, columns], tl.float32)
        if chunk == 0:
            h = shown.to(to_enter.dtype)
            enter = tl.dot(h, to_enter, enter, input_precision=precision)
            forget = tl.dot(h, to_forget, forget, input_precision=precision)
            new = tl.dot(h, to_new, new, input_precision=precision)
            leave = tl.dot(h, to_leave, leave, input_precision=precision)
        else:
            for start in range(0, width, chunk):
                k = start + tl.arange(0, chunk)
                known = there[:, None] & (k < width)[None, :]
                h = tl.load(before + state + k[None, :], mask=known, other=0.0)
                h = h.to(weights.dtype.element_ty)
                w = weights + j[None, :] * width + k[:, None]
                some = (k < width)[:, None] & unit[None, :]
                enter = tl.dot(h, tl.load(w, mask=some, other=0.0), enter, input_precision=precision)
                w += width * width
                forget = tl.dot(h, tl.load(w, mask=some, other=0.0), forget, input_precision=precision)
                w += width * width
                new = tl.dot(h, tl.load(w, mask=some, other=0.0), new, input_precision=precision)
                w += width * width
                leave = tl.dot(h, tl.load(w, mask=some, other=0.0), leave, input_precision=precision)
        enter, forget = _sigmoid(enter + enter_in), _sigmoid(forget + forget_in)
        new, leave = _tanh(new + new_in), _sigmoid(leave + leave_in)
        cell = forget * cell + enter * new
        shown = leave * _tanh(cell)
        real = own & (t < n)[:, None]
        tl.store(gate, enter, mask=real)
        tl.store(gate + width, forget, mask=real)
        tl.store(gate + 2 * width, new, mask=real)
        tl.store(gate + 3 * width, leave, mask=real)
        tl.store(hidden + state + j[None, :], tl.where(real, shown, 0.0), mask=own)
        after = (text * length + _place(n, t + 1, way)) * 2 * width + way * width
        more = own & (t + 1 < n)[:, None]
        tl.store(before + after[:, None] + j[None, :], shown, mask=more)
        tl.store(cells + after[:, None] + j[None, :], cell, mask=more)
        if chunk > 0:
            # The next token's products read what other threads of this program have just written.
            tl.debug_barrier()


@triton.jit
def _share(gradient, size, weights):
    """A gradient as a share of a size, in the precision of the weights that it is multiplied with."""
    share = gradient / size
    if weights.dtype == tl.float16:
        share = tl.clamp(share, -65504.0, 65504.0)
    return share.to(weights.dtype)


@triton.jit(do_not_specialize=["batch", "length"])
def _go_back(
    gates, cells, gradient, weights, lengths, most, batch, length,
    width: tl.constexpr, columns: tl.constexpr, rows: tl.constexpr, chunk: tl.constexpr,
    precision: tl.constexpr,
):  # fmt: skip
    """Go back through texts: gates [B,T,2,4H] are overwritten by the gradients of what went into them.

    gradient [B,T,2H] is that of the hidden states, most [B] the size of its largest value in each text:
    what is multiplied is a share of that, as half precision has no very small numbers.
    """
    text, there, n = _texts(lengths, batch, rows)
    way = tl.program_id(1)
    j = tl.arange(0, columns)
    unit = j < width
    own = there[:, None] & unit[None, :]
    weights += way * 4 * width * width
    size = tl.maximum(tl.load(most + text, mask=there, other=0.0), 1e-30)[:, None]
    if chunk == 0:
        square = weights + j[:, None] * width + j[None, :]
        both = unit[:, None] & unit[None, :]
        of_enter = tl.load(square, mask=both, other=0.0)
        of_forget = tl.load(square + width * width, mask=both, other=0.0)
        of_new = tl.load(square + 2 * width * width, mask=both, other=0.0)
        of_leave = tl.load(square + 3 * width * width, mask=both, other=0.0)
    of_cell = tl.zeros([rows, columns], tl.float32)
    of_before = tl.zeros([rows, columns], tl.float32)
    for back in range(0, length):
        t = length - 1 - back
        place = text * length + _place(n, t, way)
        gate = gates + (place * 8 * width + way * 4 * width)[:, None] + j[None, :]
        state = (place * 2 * width + way * width)[:, None] + j[None, :]
        real = own & (t < n)[:, None]
        of_shown = tl.load(gradient + state, mask=real, other=0.0)
        enter = tl.load(gate, mask=real, other=0.0)
        forget = tl.load(gate + width, mask=real, other=0.0)
        new = tl.load(gate + 2 * width, mask=real, other=0.0)
        leave = tl.load(gate + 3 * width, mask=real, other=0.0)
        cell = tl.load(cells + state, mask=real, other=0.0)
        if chunk > 0:
            later = (text * length + _place(n, t + 1, way)) * 8 * width + way * 4 * width
            more = there & (t + 1 < n)
            of_before = tl.zeros([rows, columns], tl.float32)
            for start in range(0, 4 * width, chunk):
                k = start + tl.arange(0, chunk)
                known = more[:, None] & (k < 4 * width)[None, :]
                some = (k < 4 * width)[:, None] & unit[None, :]
                of_later = tl.load(gates + later[:, None] + k[None, :], mask=known, other=0.0)
                w = tl.load(weights + k[:, None] * width + j[None, :], mask=some, other=0.0)
                of_before = tl.dot(_share(of_later, size, w), w, of_before, input_precision=precision)
        of_shown += of_before * size
        shown = _tanh(forget * cell + enter * new)
        of_cell += of_shown * leave * (1.0 - shown * shown)
        # At padding all of these are 0.
        to_enter = of_cell * new * enter * (1.0 - enter)
        to_forget = of_cell * cell * forget * (1.0 - forget)
        to_new = of_cell * enter * (1.0 - new * new)
        to_leave = of_shown * shown * leave * (1.0 - leave)
        tl.store(gate, to_enter, mask=own)
        tl.store(gate + width, to_forget, mask=own)
        tl.store(gate + 2 * width, to_new, mask=own)
        tl.store(gate + 3 * width, to_leave, mask=own)
        of_cell *= forget
        if chunk == 0:
            of_before = tl.dot(_share(to_enter, size, of_enter), of_enter, input_precision=precision)
            share = _share(to_forget, size, of_forget)
            of_before = tl.dot(share, of_forget, of_before, input_precision=precision)
            share = _share(to_new, size, of_new)
            of_before = tl.dot(share, of_new, of_before, input_precision=precision)
            share = _share(to_leave, size, of_leave)
            of_before = tl.dot(share, of_leave, of_before, input_precision=precision)
        else:
            tl.debug_barrier()


class _BothWays(torch.autograd.Function):
    """embedded [B,T,d], lengths [B], weights [8H,d] and [2,4H,H], biases [8H] → hidden states [B,T,2H].

    One way back only: it writes over what it has read.
    """

    @staticmethod
    def forward(
        ctx: Any, embedded: Tensor, lengths: Tensor, entering: Tensor, bias: Tensor, weights: Tensor
    ) -> Tensor:
        tokens, width = embedded.flatten(0, 1), weights.shape[-1]
        batch, length, _ = embedded.shape
        if not steps_are_exact():
            weights = weights.half()
        gates = torch.addmm(bias, tokens, entering.T)
        before, cells = embedded.new_zeros(2, batch, length, 2 * width)
        hidden = torch.empty_like(cells)
        ctx.launch = _Launch(batch, length, weights)
        ctx.launch(_read, (gates, before, cells, hidden, weights, lengths), 4)
        ctx.save_for_backward(tokens, lengths, entering, weights, gates, before, cells)
        return hidden

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, Tensor, Tensor, Tensor]:
        tokens, lengths, entering, weights, gates, before, cells = ctx.saved_tensors
        batch, length, _ = cells.shape
        width = weights.shape[-1]
        gradient = gradient.contiguous()
        most = torch.linalg.vector_norm(gradient, ord=torch.inf, dim=(1, 2))
        ctx.launch(_go_back, (gates, cells, gradient, weights, lengths, most), 1)
        ways = zip(gates.split(4 * width, dim=1), before.flatten(0, 1).split(width, dim=1), strict=True)
        of_weights = torch.stack([gate.T @ state for gate, state in ways])
        of_embedded = (gates @ entering).view(batch, length, -1)
        return of_embedded, None, gates.T @ tokens, gates.sum(dim=0), of_weights


class _Launch:
    """How a kernel is launched for texts of one shape."""

    def __init__(self, batch: int, length: int, weights: Tensor) -> None:
        self._shape, self._width = (batch, length), weights.shape[-1]
        self._device, self._bytes = weights.device, weights.element_size()

    def __call__(self, kernel: Any, tensors: tuple[Tensor, ...], products: int) -> None:
        """Launch a kernel that reads so many weight matrices side by side."""
        columns = _columns(self._width)
        kept = _kept(columns, self._bytes, self._device)
        kernel[(triton.cdiv(self._shape[0], _ROWS), 2)](
            *tensors,
            *self._shape,
            width=self._width,
            columns=columns,
            rows=_ROWS,
            chunk=0 if kept else _chunk(columns, products, self._bytes, self._device),
            # What is in half precision is multiplied as it is.
            precision="tf32x3",
            num_warps=_WARPS,
            num_stages=_STAGES_KEPT if kept else _STAGES,
        )


def _columns(width: int) -> int:
    return max(_FEWEST, int(triton.next_power_of_2(width)))


@cache
def _room(device: torch.device) -> int:
    """How many bytes a program can have on the chip."""
    properties: Any = triton.runtime.driver.active.utils.get_device_properties(device.index or 0)
    return int(properties["max_shared_mem"])


def _kept(columns: int, bytes_each: int, device: torch.device) -> bool:
    """Say whether all weights of a direction can stay on the chip."""
    beside = _BESIDE[bytes_each] * _ROWS * columns * 4
    return 4 * columns * columns * bytes_each + beside <= _room(device)


def _chunk(columns: int, products: int, bytes_each: int, device: torch.device) -> int:
    """How many rows of so many weight matrices a multiprocessor has room for, at each stage."""
    bytes_of_row = bytes_each * _STAGES * (products * columns + _ROWS)
    # Some of the room is for what a program puts into another order.
    there = 0.88 * _room(device)
    return max((2**power for power in range(4, 7) if 2**power * bytes_of_row <= there), default=0)


def both_ways(embedded: Tensor, mask: Tensor, ahead: nn.Module, back: nn.Module) -> Tensor:
    """Read texts [B,T,d] in both directions, each with a cell of its own: [B,T,2H], 0 at padding."""
    cells: tuple[Any, Any] = ahead, back
    entering = torch.cat([cell.weight_ih_l0 for cell in cells])
    bias = torch.cat([cell.bias_ih_l0 + cell.bias_hh_l0 for cell in cells])
    weights = torch.stack([cell.weight_hh_l0 for cell in cells])
    lengths = mask.sum(dim=1, dtype=torch.int32)
    hidden: Tensor = _BothWays.apply(embedded, lengths, entering, bias, weights)
    return hidden


@cache
def serves(width: int, device: torch.device) -> bool:
    """Say whether the kernels take this width here; the first time by trying them."""
    columns = _columns(width)
    if width > WIDEST or torch.cuda.get_device_capability(device) < (8, 0):
        return False
    if not all(_chunk(columns, products, 4, device) for products in (1, 4)):
        return False
    shapes = [(1, 1, 1), (8 * width, 1), (8 * width,), (2, 4 * width, width)]
    one = torch.ones(1, dtype=torch.int32, device=device)
    try:
        for exact in (True, False):
            with torch.enable_grad(), training_steps(exact):
                tokens, *weights = (
                    torch.zeros(shape, device=device, requires_grad=True) for shape in shapes
                )
                _BothWays.apply(tokens, one, *weights).sum().backward()
    except Exception as error:
        # Whatever Triton lacks, as a compiler, cuDNN does it as well.
        say(f"  LSTMs are trained by cuDNN: {(str(error).strip() or repr(error)).splitlines()[0]}")
        return False
    return True
