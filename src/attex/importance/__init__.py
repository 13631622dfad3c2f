"""One file per family of measures, each a function (model, batch) → one score per token."""

from collections.abc import Callable

from torch import Tensor

from attex.importance.measure import MEASURES


def __getattr__(name: str) -> Callable[..., Tensor]:
    return MEASURES.published(name, __name__)


def __dir__() -> list[str]:
    words = (word for entry in MEASURES for word in (entry.name, *entry.aliases))
    return [word for word in words if word.isidentifier()]


MEASURES.publish()
