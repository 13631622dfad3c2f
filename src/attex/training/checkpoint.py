"""A training's whole state in one safetensors file, for exact resume."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from attex.foundations.progress import say
from attex.foundations.storage import Damaged, read_tensors, write_tensors


@dataclass
class Progress:
    """How far a training came: the history of its epochs, and the best model so far."""

    history: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = 0
    best_score: float = float("-inf")
    best_state: dict[str, Tensor] = field(default_factory=dict)

    def keep(self, model: nn.Module, epoch: int, score: float) -> None:
        """Remember the model as the best so far, on its own device."""
        self.best_epoch, self.best_score = epoch, score
        for name, value in model.state_dict().items():
            if name in self.best_state:
                self.best_state[name].copy_(value)
            else:
                self.best_state[name] = value.clone()


def save(path: Path, progress: Progress, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Write model, optimiser and progress; the best model only where it is not the model itself."""
    tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
    if progress.best_epoch != len(progress.history):
        tensors |= {f"best.{name}": value for name, value in progress.best_state.items()}
    for parameter, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{parameter}.{name}": value for name, value in state.items()}
    facts: dict[str, Any] = {
        "history": progress.history,
        "best_epoch": progress.best_epoch,
        "best_score": progress.best_score,
    }
    write_tensors(path, tensors, facts)


def load(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> Progress:
    """Read a state back into model and optimiser; a training without one starts afresh."""
    if not path.exists():
        return Progress()
    try:
        tensors, facts = read_tensors(path)
    except Damaged as damage:
        say(f"  {damage}; the training starts afresh")
        return Progress()
    model.load_state_dict(_under("model.", tensors))
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in _under("optimizer.", tensors).items():
        parameter, _, key = name.partition(".")
        state.setdefault(int(parameter), {})[key] = value
    optimizer.load_state_dict(optimizer.state_dict() | {"state": state})
    progress = Progress(**facts)
    if progress.best_epoch == len(progress.history):
        progress.keep(model, progress.best_epoch, progress.best_score)
    else:
        device = next(model.parameters()).device
        best = _under("best.", tensors)
        progress.best_state = {name: value.to(device) for name, value in best.items()}
    return progress


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)
    }
