"""One file per family of statistics, each a function (a, b, mask) → one value per text."""

from collections.abc import Callable

from attex.agreement.calibration import Calibration, calibrate
from attex.agreement.intervals import bootstrap
from attex.agreement.statistic import STATISTICS, Agreement

__all__ = ["Agreement", "Calibration", "bootstrap", "calibrate"]


def __getattr__(name: str) -> Callable[..., Agreement]:
    return STATISTICS.published(name, __name__)


def __dir__() -> list[str]:
    return [*__all__, *(entry.name for entry in STATISTICS)]


STATISTICS.publish()
