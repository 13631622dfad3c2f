"""Write experiment files, load them, and hear what is wrong with them."""

import json
from pathlib import Path

import pytest

from attex.config.loading import load_experiments, validate
from attex.config.schema import ExperimentConfig
from attex.foundations.errors import UserError


def write(folder: Path, content: object, name: str = "file.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def load(path: Path, *overrides: str) -> ExperimentConfig:
    (config,) = load_experiments(path, overrides)
    return config


def problem(value: object, *overrides: str) -> str:
    with pytest.raises(UserError) as caught:
        validate(value, overrides, "file.json")
    return str(caught.value)


def file_problem(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_experiments(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)
