"""One file per family of projections, each a function (energies, mask) → attention."""

from collections.abc import Callable

from torch import Tensor

from attex.models.projection import PROJECTIONS


def __getattr__(name: str) -> Callable[..., Tensor]:
    return PROJECTIONS.published(name, __name__)


def __dir__() -> list[str]:
    return [entry.name for entry in PROJECTIONS]


PROJECTIONS.publish()
