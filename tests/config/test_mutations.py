"""Configurations that cannot crash: every mutation of a valid one starts, or is one clear error."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
import torch

from attex.config.loading import validate
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS
from attex.foundations.errors import UserError
from attex.runner.plan import Plan

NOWHERE = DataFolder(Path("there-is-no-such-folder"))
MUTATIONS = 2_000
EXTREMES: list[Any] = [
    None,
    True,
    "",
    "softmax",
    "no such thing",
    "\u0000",
    "x" * 5_000,
    -1,
    0,
    1,
    2**31,
    2**63,
    10**400,
    0.5,
    1e-300,
    1e300,
    float("nan"),
    float("inf"),
    [],
    [[]],
    [None],
    {},
    {"type": None},
    {"type": "lstm"},
    {"type": "planted", "type2": 1},
]
VALID: list[dict[str, Any]] = [
    {
        "name": "one",
        "data": {"type": "planted", "task": "keyword", "sizes": [20, 8, 8], "seed": 3},
        "model": {
            "embedding_width": 8,
            "encoder": {"type": "lstm", "hidden": 4},
            "attention": {"type": "tanh", "projection": {"type": "sparsegen", "lam": 0.5}},
            "decoder": "linear",
        },
        "trainer": {"type": "supervised", "epochs": 1, "learning_rate": 0.001, "patience": 2},
        "seeds": [0, 1],
        "importance": ["attention", {"type": "gradient", "target": "gold_loss"}],
        "analyses": ["truth", {"type": "agreement", "statistics": ["kendall_tau"]}],
    },
    {
        "data": {"type": "planted", "sizes": [20, 8, 8], "min_tokens": 2, "max_tokens": 40, "limit": 5},
        "model": {"encoder": {"type": "cnn", "hidden": 8, "widths": [1, 3]}, "attention": "last"},
        "trainer": {"metric": "accuracy", "reduction": "mean", "amsgrad": False},
        "importance": ["attention", {"type": "leave_one_out", "budget": 1000}],
    },
    {
        "data": {"type": "planted", "sizes": [20, 8, 8], "markers": False},
        "model": {
            "encoder": {"type": "transformer", "hidden": 8, "layers": 1, "heads": 2},
            "attention": {"type": "sdp", "projection": {"type": "learned_entmax", "start": 1.2}},
        },
        "vectors": None,
        "imports": [],
    },
]


def places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a nested object."""
    found: list[tuple[Any, ...]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        found.append((*above, key))
        if isinstance(item, dict | list):
            found += places(item, (*above, key))
    return found


def mutate(valid: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Drop, rename, retype, swap or stretch one to three values."""
    mutant = copy.deepcopy(valid)
    for _ in range(rng.randint(1, 3)):
        paths = places(mutant)
        if not paths:
            break
        *parents, last = rng.choice(paths)
        target: Any = mutant
        for key in parents:
            target = target[key]
        kind = rng.choice(["drop", "rename", "extreme", "swap", "retype"])
        if kind == "drop":
            del target[last]
        elif kind == "rename" and isinstance(target, dict):
            target[rng.choice([f"{last}s", str(last)[:-1], str(last).upper(), ""])] = target.pop(last)
        elif kind == "swap":
            *elsewhere, other = rng.choice(paths)
            source: Any = valid
            try:
                for key in elsewhere:
                    source = source[key]
                target[last] = copy.deepcopy(source[other])
            except (KeyError, IndexError, TypeError):
                target[last] = rng.choice(EXTREMES)
        elif kind == "retype":
            target[last] = rng.choice([str(target[last]), [target[last]], {"value": target[last]}])
        else:
            target[last] = copy.deepcopy(rng.choice(EXTREMES))
    return mutant


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    spec = READERS.spec({"type": "planted", "sizes": (20, 8, 8)})
    return build_corpus(READERS.bind(spec), NOWHERE)


@pytest.mark.parametrize("chunk", range(4))
def test_a_mutated_experiment_starts_or_is_one_line_with_a_path(chunk: int, corpus: Corpus) -> None:
    rng = random.Random(chunk)
    started = 0
    for number in range(MUTATIONS // 4):
        mutant = mutate(VALID[number % len(VALID)], rng)
        try:
            Plan(validate(mutant), NOWHERE, torch.device("cpu")).check(corpus)
            started += 1
        except UserError as error:
            for line in str(error).splitlines():
                assert line.strip(), json.dumps(mutant)[:500]
                assert len(line) < 6_000
        except Exception as error:
            what = f"{type(error).__name__}: {str(error)[:300]}\n{json.dumps(mutant)[:500]}"
            raise AssertionError(what) from None
    assert 0 < started < MUTATIONS // 4
