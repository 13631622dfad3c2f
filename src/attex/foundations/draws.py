"""Random draws that depend on (seed, text, draw, position) only.

So they are the same for a text alone, padded or in any batch, and the same on CPU and CUDA.
"""

import numpy as np
import torch
from torch import Tensor

_LARGEST = torch.iinfo(torch.int64).max
_SEEDS_APART = 0x9E3779B97F4A7C15 - 2**64
"""2⁶⁴ over the golden ratio, as a signed number: seeds that follow each other land far apart."""


def mix(x: Tensor) -> Tensor:
    """Scramble whole numbers: the finaliser of SplitMix64 (Steele, Lea & Flood 2014), int64 → int64.

    A bijection that changes half of the output's bits when one of the input's changes; the
    multiplications wrap around.
    """
    for factor, shift in ((-0x40A7B892E31B1A47, 30), (-0x6B2FB644ECCEEE15, 27)):
        x = _shifted(x, shift).bitwise_xor_(x).mul_(factor)
    return _shifted(x, 31).bitwise_xor_(x)


def _shifted(x: Tensor, shift: int) -> Tensor:
    # As if unsigned: torch would fill up with the sign.
    return (x >> shift).bitwise_and_((1 << (64 - shift)) - 1)


def numbers(ids: Tensor, mask: Tensor, draws: int, seed: int, start: int = 0) -> Tensor:
    """Draw a 64-bit number for every counted position: ids [B], mask [B,T] → [B,draws,T] in int64.

    Positions are counted along the mask, so that padding and holes change nothing. `start` is the
    number of the first draw: draws can be made in pieces.
    """
    device = mask.device
    key = mix(ids.to(device).long() + torch.tensor(seed, device=device) * _SEEDS_APART)
    key = mix(key[:, None] + torch.arange(start, start + draws, device=device))
    return mix(key[..., None] + mask.cumsum(dim=-1)[:, None])


def uniforms(ids: Tensor, mask: Tensor, draws: int, seed: int, start: int = 0) -> Tensor:
    """Draw a number strictly between 0 and 1 for every counted position: → [B,draws,T] in float64."""
    # A 53-bit number and a half lies strictly between 0 and 2⁵³.
    return (_shifted(numbers(ids, mask, draws, seed, start), 11).double() + 0.5) / 2**53


def normals(ids: Tensor, mask: Tensor, draws: int, seed: int, start: int = 0) -> Tensor:
    """Draw a standard normal number for every counted position: → [B,draws,T] in float64.

    Box & Muller's transform of two numbers; off the mask stands one that nothing may read.
    """
    first, second = (uniforms(ids, mask, draws, key, start) for key in (2 * seed, 2 * seed + 1))
    return (-2 * first.log()).sqrt() * torch.cos(2 * torch.pi * second)


def permutations(ids: Tensor, mask: Tensor, draws: int, seed: int, start: int = 0) -> Tensor:
    """Shuffle the counted positions: ids [B], mask [B,T] → indices [B,draws,T] to gather with.

    Every other position stays where it is.

    Example:
        Padding changes nothing, and stays where it is:

        >>> import torch
        >>> from attex.foundations.draws import permutations
        >>> ids, text = torch.tensor([7]), torch.tensor([[True, True, True]])
        >>> padded = torch.tensor([[True, True, True, False]])
        >>> alone, wider = (permutations(ids, mask, draws=50, seed=0) for mask in (text, padded))
        >>> torch.equal(alone, wider[..., :3]), wider[..., 3].unique()
        (True, tensor([3]))
    """
    length = mask.shape[1]
    keys = numbers(ids, mask, draws, seed, start).masked_fill(~mask[:, None], _LARGEST)
    order = _order(keys)
    if bool(mask.all()):
        return order
    # The n-th counted position takes what the n-th smallest number chose.
    slots = (~mask).long().argsort(dim=-1, stable=True)[:, None].expand_as(order)
    counted = torch.arange(length, device=mask.device) < mask.sum(dim=-1)[:, None, None]
    return torch.empty_like(order).scatter_(-1, slots, order.where(counted, slots))


def highest_first(scores: Tensor, counted: Tensor, shuffled: Tensor) -> Tensor:
    """Order the positions of every text by score: scores, counted, shuffled [B,T] → positions [B,T].

    Ties come in the order that `shuffled` has drawn for the text; what does not count comes last.
    """
    ranked = scores.masked_fill(~counted, -torch.inf).gather(1, shuffled)
    return shuffled.gather(1, ranked.argsort(dim=1, descending=True, stable=True))


def _order(keys: Tensor) -> Tensor:
    """Return where the numbers of every row come from in order.

    The last bits give way to the position, so that sorting the numbers themselves, several times as
    fast, tells where each came from.
    """
    length = keys.shape[-1]
    bits = max(1, (length - 1).bit_length())
    marked = (keys >> bits).bitwise_left_shift_(bits).add_(torch.arange(length, device=keys.device))
    if keys.device.type == "cpu":
        # NumPy sorts several times as fast as torch.
        marked = torch.from_numpy(np.sort(marked.numpy(), axis=-1))
    else:
        marked = marked.sort(dim=-1).values
    return marked & ((1 << bits) - 1)
