"""attex puts attention to the test: is it an explanation of what a text model decided?

Importing this is cheap: each public name brings what it needs when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from attex.experiment import Experiment, load_run, run
    from attex.finished_run import Run

_NAMES = dict.fromkeys(("Experiment", "load_run", "run"), "attex.experiment") | {
    "Run": "attex.finished_run"
}
_ROOMS = ("agreement", "counterfactual", "importance", "models", "testing")

__all__ = ["Experiment", "Run", "__version__", "load_run", "run"]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"attex.{name}")
    raise AttributeError(f"module 'attex' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
