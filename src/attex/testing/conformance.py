"""How a component is held to its promises."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor

from attex.foundations.registry import Registry, did_you_mean

Trial = TypeVar("Trial")

Promise = Callable[[Trial], Iterator[str]]
"""Yields what speaks against it; its docstring is the promise in words."""


class ConformanceError(AssertionError):
    """A component broke a promise; the message says which, on what, and with which numbers.

    `promise` is the name of the function that checks it.
    """

    def __init__(self, promise: str, message: str) -> None:
        super().__init__(message)
        self.promise = promise


def hold(name: str, promises: Sequence[Promise[Trial]], trials: Mapping[str, Trial]) -> None:
    """Check every promise on every trial, and raise at the first thing that speaks against one."""
    for promise in promises:
        for where, trial in trials.items():
            about = f"{name}: {inspect.getdoc(promise)} Not so with {where}"
            try:
                complaint = next(promise(trial), None)
            except Exception as error:
                message = f"{about}: it raised {type(error).__name__}: {error}"
                raise ConformanceError(promise.__name__, message) from error
            if complaint is not None:
                raise ConformanceError(promise.__name__, f"{about}: {complaint}")


def named(
    registry: Registry[Any], component: str | Callable[..., Any], options: Mapping[str, Any]
) -> tuple[str, Callable[..., Any]]:
    """Return what to call a component in a message, and the component."""
    if isinstance(component, str):
        if component not in registry:
            near = did_you_mean(component, [entry.name for entry in registry])
            raise ValueError(f"no {registry.kind} '{component}'{near}")
        name, component = component, registry[component].target
    else:
        name = getattr(component, "__name__", repr(component))
    inside = ", ".join(f"{option}={value}" for option, value in options.items())
    return f"{registry.kind} {name}({inside})" if inside else f"{registry.kind} {name}", component


def furthest(actual: Tensor, expected: Tensor, tolerance: float) -> tuple[int, ...] | None:
    """Return where two answers are furthest apart, if that is further than the tolerance.

    NaN is equal to NaN, and further than any tolerance from everything else.
    """
    if actual.shape != expected.shape:
        raise ValueError(f"shape {[*actual.shape]} instead of {[*expected.shape]}")
    alike = (actual == expected) | (actual.isnan() & expected.isnan())
    gap = (actual - expected).abs().nan_to_num(float("inf")).masked_fill(alike, 0.0)
    if not gap.numel() or gap.max() <= tolerance:
        return None
    return tuple(int(i) for i in torch.unravel_index(gap.argmax(), gap.shape))
