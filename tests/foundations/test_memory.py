"""Pieces of a computation: all of it, in order, each within the budget."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attex.foundations.memory import backing_off, held_budget_on, shared_by, spans


@given(st.integers(0, 300), st.integers(0, 50), st.integers(1, 500))
def test_spans_are_a_partition_and_each_fits_the_budget(total: int, each: int, budget: int) -> None:
    found = list(spans(total, each, budget))
    assert [i for span in found for i in range(total)[span]] == list(range(total))
    for span in found:
        size = span.stop - span.start
        assert size == 1 or 1 < size <= budget // max(1, each)


@given(st.integers(1, 300), st.integers(1, 50), st.integers(1, 500))
def test_spans_are_as_few_as_the_budget_allows(total: int, each: int, budget: int) -> None:
    fitting = max(1, budget // each)
    assert len(list(spans(total, each, budget))) == -(-total // fitting)


def test_what_is_held_leaves_a_gpu_half_of_each_process_s_part(monkeypatch: pytest.MonkeyPatch) -> None:
    class Whole:
        total_memory = 120

    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: Whole)
    gpu = torch.device("cuda")
    for processes in (1, 2, 3):
        for name, value in shared_by(processes, gpu).items():
            monkeypatch.setenv(name, value)
        assert processes * held_budget_on(gpu) == 60
    assert held_budget_on(torch.device("cpu")) == 2**30, "not a share of what others may need"


def test_a_budget_is_halved_while_memory_runs_out() -> None:
    tried = []

    def compute(budget: int) -> str:
        tried.append(budget)
        if budget > 2**27:
            raise torch.OutOfMemoryError
        return "done"

    assert backing_off(compute, 2**30) == "done"
    assert tried == [2**30, 2**29, 2**28, 2**27]


def test_a_machine_without_any_room_is_an_error_in_the_end() -> None:
    def compute(budget: int) -> None:
        raise torch.OutOfMemoryError

    with pytest.raises(torch.OutOfMemoryError):
        backing_off(compute, 2**30)
