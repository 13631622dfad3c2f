"""A pretrained model in half precision: the same files, weights rounded, counts as they are."""

import sys
from pathlib import Path

import pytest
import torch
from results.half_weights import copied
from safetensors.torch import load_file, save_file


def test_weights_are_rounded_and_all_else_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "installed" / "a_tiny_model" / "model"
    model.mkdir(parents=True)
    (model.parent / "__init__.py").touch()
    (model / "config.json").write_text("{}")
    weights = {"weight": torch.tensor([1 / 3, 2.0]), "positions": torch.arange(3)}
    save_file(weights, model / "model.safetensors", metadata={"format": "pt"})
    monkeypatch.setattr(sys, "path", [str(tmp_path / "installed"), *sys.path])
    copy = copied("a_tiny_model", tmp_path / "carried") / "model"
    found = load_file(copy / "model.safetensors")
    # The nearest number of ten binary digits after the first.
    assert found["weight"].tolist() == [1365 / 4096, 2.0]
    assert torch.equal(found["positions"], weights["positions"])
    assert (copy / "config.json").read_text() == "{}"


def test_a_package_that_is_absent_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no package 'a_model_that_is_nowhere'"):
        copied("a_model_that_is_nowhere", tmp_path)
