"""A tanh for where no gradient is wanted."""

from torch import Tensor


def tanh_(values: Tensor) -> Tensor:
    """Replace values by their tanh, to 1e-7.

    On a CPU torch's sigmoid takes a sixth of the time of its tanh, which is 2σ(2x) − 1.
    """
    if values.device.type != "cpu":
        return values.tanh_()
    return values.mul_(2).sigmoid_().mul_(2).sub_(1)
