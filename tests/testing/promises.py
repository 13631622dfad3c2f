"""Collect components that break a promise, and hear what is said of them."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from attex.testing import ConformanceError

NAN = float("nan")

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU on this machine")


def breaks(cases: list[Any], promise: Callable[..., Any], says: str, marks: Any = ()) -> Any:
    """Collect a component that breaks a promise, and what the message then says."""

    def add(component: Any) -> Any:
        cases.append(pytest.param(component, promise, says, id=component.__name__, marks=marks))
        return component

    return add


def complaint(check: Callable[..., None], component: Any, promise: Callable[..., Any]) -> str:
    """Return the message of a check that fails by this promise and no other."""
    with pytest.raises(ConformanceError) as caught:
        check(component)
    assert caught.value.promise == promise.__name__, caught.value
    return str(caught.value)
