"""Devices by name; a name that cannot be used is one line."""

import pytest
import torch

from attex.foundations.devices import choose_device
from attex.foundations.errors import UserError


def test_cpu_is_always_there_and_auto_takes_a_gpu_where_there_is_one() -> None:
    assert choose_device("cpu") == torch.device("cpu")
    assert choose_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.parametrize("name", ["gpu", "meta", "mps", "", "cpu:x", "cuda:", "cuda:-1", "hpu"])
def test_a_name_that_is_no_device_is_answered_with_those_that_are(name: str) -> None:
    with pytest.raises(UserError, match=f"^--device {name}: expected auto, cpu, cuda"):
        choose_device(name)


def test_a_gpu_that_is_not_there_is_one_line() -> None:
    with pytest.raises(UserError, match=r"^--device cuda:99 cannot be used here: ") as caught:
        choose_device("cuda:99")
    assert "\n" not in str(caught.value)
