"""What an agreement would be by chance, and what these scores could reach."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attex.agreement.depth import depth_per_text
from attex.agreement.nulls import Null, Options, Shifts, Shuffles, taken
from attex.agreement.ordering import last_outside, sort_rows
from attex.agreement.patterns import first_positions
from attex.agreement.statistic import STATISTICS, Agreement

DRAWS = 999
_ROUNDING = 1e-12
"""Values of one pair of lists may differ by this much when summed in another order."""


@dataclass(frozen=True)
class Calibration:
    """One statistic of B texts beside its two reference values, all [B], NaN where undefined.

    null is the mean under the null hypothesis, exact where known, else of the draws; null_std
    likewise; ceiling the statistic of the two vectors sorted, the best that these values allow.
    p_value is one-sided, (1 + #{null ≥ observed})/(R + 1); p_below is that of the other tail.
    `drawn` [B,R] are the draws, NaN where there is none; `agreement` is what the statistic itself
    says, a test of its own and a depth included.
    """

    observed: Tensor
    null: Tensor
    ceiling: Tensor
    p_value: Tensor
    p_below: Tensor
    null_std: Tensor
    drawn: Tensor
    agreement: Agreement

    @property
    def two_sided(self) -> Tensor:
        """The two-sided p-value: twice that of the smaller tail."""
        return (2 * torch.minimum(self.p_value, self.p_below)).clamp(max=1.0)

    @property
    def room(self) -> Tensor:
        """What each text could gain over chance: ceiling − null, exactly 0 where that is rounding."""
        room = self.ceiling - self.null
        return room.masked_fill(room.abs() <= _ROUNDING, 0.0)

    @property
    def calibrated(self) -> float:
        """Σ(observed − null) / Σ(ceiling − null) over the texts: 0 is chance, 1 all that can be.

        NaN where the denominator is 0.
        """
        total = float(self.room.nansum())
        return float((self.observed - self.null).nansum()) / total if total else float("nan")

    @property
    def uncalibrated(self) -> int:
        """How many texts say nothing of agreement: undefined, or with no room above chance."""
        return int((self.room.isnan() | (self.room == 0)).sum())


def calibrate(
    statistic: str | Callable[..., Agreement],
    a: Tensor,
    b: Tensor,
    mask: Tensor,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    ids: Tensor | None = None,
    null: str = "shuffle",
    **options: Any,
) -> Calibration:
    """Compare a statistic with chance and with its ceiling: a, b, mask [B,T] → Calibration of [B].

    The null is the statistic with the values of b moved over the counted positions: `shuffle`
    draws permutations, `shift` moves them along, around the end, by all distances from 1 to n − 1
    (`draws` evenly spaced ones where there are more), which respects that neighbours are alike.

    Draws are a hash of `seed` and of the text's `ids` [B] (its scores where there are none), or of
    the pattern of ties and lists where that is all a statistic depends on (`depends_on`): the same
    in any batch and on any device.

    Args:
        statistic: a registered name, or a function like the registered ones.
        a: scores of one measure, [B,T].
        b: scores of the other, [B,T].
        mask: the positions to compare, [B,T].
        draws: how often chance is drawn for a text.
        seed: where the draws start.
        ids: a number for each text, [B].
        null: `shuffle` or `shift`.
        **options: the statistic's own.

    Raises:
        ValueError: if there is no draw to make, or no such null.

    Example:
        The second vector has one pair out of order. Two words of weight 0 are tied, so that no order
        of these weights reaches 1: the ceiling is 5/√30, the value 3/√30.

        >>> import torch
        >>> from attex.agreement import calibrate
        >>> a, b = torch.tensor([[0.6, 0.4, 0.0, 0.0]]), torch.tensor([[3.0, 4.0, 1.0, 2.0]])
        >>> calibration = calibrate("kendall_tau", a, b, mask=torch.ones(1, 4, dtype=torch.bool))
        >>> [round(x.item(), 4) for x in (calibration.observed, calibration.null, calibration.ceiling)]
        [0.5477, 0.0, 0.9129]
        >>> round(calibration.calibrated, 4)
        0.6
    """
    compute = STATISTICS[statistic].target if isinstance(statistic, str) else statistic
    if draws < 1:
        raise ValueError(f"draws = {draws} is less than 1")
    if null not in ("shuffle", "shift"):
        raise ValueError(f"null = '{null}' is not one of shuffle, shift")
    drawn = Shuffles(compute, draws, seed) if null == "shuffle" else Shifts(compute, draws)
    return against(compute, drawn, a, b, mask, ids, options)


def against(
    statistic: Callable[..., Agreement],
    null: Null,
    a: Tensor,
    b: Tensor,
    mask: Tensor,
    ids: Tensor | None,
    options: Options,
) -> Calibration:
    """Compare with a null that may have drawn for other texts before; what is undefined is not drawn."""
    if "k" in options:
        options = options | {"k": depth_per_text(options["k"], mask)}
    with torch.no_grad():
        agreement = statistic(a, b, mask, **options)
        ceiling = statistic(_falling(a, mask), _falling(b, mask), first_positions(mask), **options).value
        rows = (~agreement.value.isnan()).nonzero().squeeze(1)
        of = None if ids is None else ids.to(a.device)[rows]
        of_null = null.draw(a[rows], b[rows], mask[rows], of, taken(options, rows))

    def everywhere(values: Tensor) -> Tensor:
        whole = values.new_full((len(a), *values.shape[1:]), float("nan"))
        return whole.index_copy(0, rows, values)

    drawn, mean, std = (everywhere(values) for values in of_null)
    if null.exact and agreement.null_std is not None:
        mean, std = torch.zeros_like(mean), agreement.null_std
    counted = ~drawn.isnan()
    count = counted.sum(dim=1)
    beyond = ((sign * (drawn - agreement.value[:, None]) >= -_ROUNDING) & counted for sign in (1, -1))
    p_value, p_below = ((1 + reached.sum(dim=1)) / (1 + count).double() for reached in beyond)
    p_value, p_below, mean, std, ceiling = (
        x.double().masked_fill(count == 0, float("nan")) for x in (p_value, p_below, mean, std, ceiling)
    )
    return Calibration(agreement.value, mean, ceiling, p_value, p_below, std, drawn, agreement)


def _falling(values: Tensor, mask: Tensor) -> Tensor:
    """Sort the counted values, highest first."""
    return -sort_rows(last_outside(-values.double(), mask))
