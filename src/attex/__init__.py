"""attex puts attention to the test: is it an explanation of what a text model decided?

Importing this is cheap: each public name brings what it needs when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from attex.comparison import Comparison, compare
    from attex.experiment import Experiment, load_run, run
    from attex.explanation import Explanation
    from attex.finished_run import Run
    from attex.finished_study import FinishedStudy

_NAMES = {
    "Comparison": "attex.comparison",
    "Experiment": "attex.experiment",
    "Explanation": "attex.explanation",
    "FinishedStudy": "attex.finished_study",
    "Run": "attex.finished_run",
    "compare": "attex.comparison",
    "load_run": "attex.experiment",
    "run": "attex.experiment",
}
_ROOMS = ("agreement", "counterfactual", "importance", "models", "testing")

__all__ = [
    "Comparison",
    "Experiment",
    "Explanation",
    "FinishedStudy",
    "Run",
    "__version__",
    "compare",
    "load_run",
    "run",
]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"attex.{name}")
    raise AttributeError(f"module 'attex' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
