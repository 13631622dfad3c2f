"""Configurations that cannot crash: every mutation of a valid one starts, or is one clear error."""

import copy
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from attex.config.loading import load_experiments, validate
from attex.config.registries import REGISTRIES
from attex.config.schema import ExperimentConfig
from attex.data.corpus import Corpus, build_corpus
from attex.data.folder import DataFolder
from attex.data.reader import READERS, SPLITS
from attex.data.vectors import read_vectors
from attex.foundations.errors import UserError
from attex.runner.plan import Plan
from attex.runner.workspace import Workspace

CHUNKS = 10
SAMPLE, ALL = 700, 10_000


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


EXTREMES: list[Any] = [
    None,
    True,
    "",
    "softmax",
    "no such thing",
    "\u0000",
    "\ud800",
    "line\nbreak",
    "字" * 120,
    "\u202e",
    "x" * 5_000,
    "=HYPERLINK(1)",
    "../../up",
    "sys",
    -1,
    0,
    1,
    2**31,
    2**63,
    10**400,
    10**5_000,
    -(10**5_000),
    0.5,
    -0.0,
    1e-300,
    1e39,
    1e300,
    float("nan"),
    float("inf"),
    b"bytes",
    {1, 2},
    Path("path"),
    [],
    [[]],
    [None],
    ["a", "b", "a"],
    ["\ud800"],
    ["sys"],
    ["json.tool", "json.tool"],
    ["numpy._core._multiarray_umath"],
    ["a" * 5_000],
    [""],
    [3],
    list(range(3_000)),
    nested(30),
    nested(200),
    {},
    {"type": None},
    {"type": "lstm"},
    {"type": "planted", "type2": 1},
    {"type": "csv", "path": "\u0000", "labels": ["a", "a"]},
    {"type": "jsonl", "path": "x" * 5_000},
    {"\ud800": 1},
    {1: 1},
    {None: 1, ("a", 2): 2},
    {"type": {"type": {"type": "lstm"}}},
]
KEYS: list[Any] = ["", "\ud800", "\u0000", "type", "字" * 999, "x" * 5_000, 3, None, True, 0.5, ("a", 1)]
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
    {
        "data": {"type": "csv", "path": "own.csv", "labels": ["good", "bad"], "split": "part"},
        "model": {"embedding_width": 4, "encoder": {"type": "gru", "hidden": 4}},
        "vectors": "vectors.txt",
        "imports": ["json.tool"],
        "seeds": [5],
    },
]


def spelt_out(measures: list[str], analyses: list[str]) -> dict[str, Any]:
    """An experiment with every option of its components written down, so that each is mutated."""
    # A transformer: some measures are of its layers, and no other encoder of ours has any.
    small = {
        "embedding_width": 8,
        "encoder": {"type": "transformer", "hidden": 8, "layers": 1, "heads": 2},
    }
    data = {"type": "planted", "sizes": [20, 8, 8]}
    given = {"model": small, "data": data, "importance": measures, "analyses": analyses}
    return validate(given).resolved()


def names(kind: str) -> list[str]:
    return [
        entry.name
        for entry in REGISTRIES[kind]
        if not any(field.is_required() for field in entry.options.model_fields.values())
    ]


VALID += [spelt_out(names("measure"), [analysis]) for analysis in names("analysis")]


def places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a nested object."""
    found: list[tuple[Any, ...]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        found.append((*above, key))
        if isinstance(item, dict | list):
            found += places(item, (*above, key))
    return found


WORDS = sorted(word for registry in REGISTRIES.values() for word in registry._names)


def nudged(value: Any, rng: random.Random) -> Any:
    """Another value of the same kind, which may well be valid: most faults lie behind such ones."""
    if isinstance(value, bool) or value is None:
        return rng.choice([True, False, None])
    if isinstance(value, int | float):
        return rng.choice([value + 1, value - 1, value * 2, -value, 0, 1, value // 2])
    if isinstance(value, str):
        return rng.choice(WORDS)
    if isinstance(value, list):
        return rng.choice([value[:-1], value * 2, value[::-1]])
    return value


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
        kind = rng.choice(["drop", "rename", "extreme", "swap", "retype", "nudge", "nudge", "nudge"])
        if kind == "drop":
            del target[last]
        elif kind == "rename" and isinstance(target, dict):
            near = [f"{last}s", str(last)[:-1], str(last).upper()]
            target[rng.choice(near + KEYS[:: rng.randint(1, 5)])] = target.pop(last)
        elif kind == "nudge":
            target[last] = nudged(target[last], rng)
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
            target[last] = rng.choice([shown(target[last]), [target[last]], {"value": target[last]}])
        else:
            target[last] = copy.deepcopy(rng.choice(EXTREMES))
    return mutant


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A folder with the files that the experiments name."""
    root = tmp_path_factory.mktemp("data")
    rows = [f"{label} day,{label},{part}" for part in SPLITS for label in ("good", "bad")]
    (root / "own.csv").write_text("\n".join(["text,label,part", *rows]))
    (root / "vectors.txt").write_text("good 1 2 3 4\nday 1 2 3 4\n")
    return DataFolder(root)


@pytest.fixture(scope="module")
def corpus(folder: DataFolder) -> Corpus:
    spec = READERS.spec({"type": "planted", "sizes": (20, 8, 8)})
    return build_corpus(READERS.bind(spec), folder)


def shown(value: Any) -> str:
    """A value as text, even one that Python cannot print."""
    try:
        return str(value)
    except ValueError:
        return "an integer of thousands of digits"


FAULTS: dict[str, Callable[[str, random.Random], str]] = {
    "cut short": lambda text, rng: text[: rng.randrange(len(text))],
    "a letter more": lambda text, rng: spliced(text, rng, rng.choice('{}[],:"\\0e-\0\n')),
    "half a character": lambda text, rng: spliced(text, rng, r"\ud800"),
    "half a character in a text": lambda text, rng: text.replace('"', r'"\udfff', 1),
    "an endless integer": lambda text, rng: text.replace("1", "9" * 5_000),
    "an endless fraction": lambda text, rng: text.replace("1", "1." + "9" * 5_000),
    "an endless exponent": lambda text, rng: text.replace("1", "1e" + "9" * 5_000),
    "endless brackets": lambda text, rng: text.replace("[", "[" * 100_000, 1),
    "endless braces": lambda text, rng: text.replace("{", '{"data":' * 100_000, 1),
    "deep": lambda text, rng: '{"model":' * 300 + text + "}" * 300,
    "byte-order mark": lambda text, rng: "\ufeff" + text,
    "a key twice": lambda text, rng: text.replace("{", '{"seeds": [1], "seeds": [1, 1],', 1),
    "several": lambda text, rng: f"[{text}, {text}]",
    "several in several": lambda text, rng: f"[{text}, [{text}]]",
}


def spliced(text: str, rng: random.Random, piece: str) -> str:
    place = rng.randrange(len(text))
    return text[:place] + piece + text[place:]


def plan_and_check(config: ExperimentConfig, folder: DataFolder, corpus: Corpus) -> None:
    """Everything that happens before the first stage that takes long."""
    plan = Plan(config, Workspace(folder, Path("nothing-is-written"), torch.device("cpu")))
    if config.data.type == "csv":
        corpus = build_corpus(READERS.bind(config.data), folder)
    if config.vectors is not None:
        path = folder.own_file(config.vectors.path)
        read_vectors(path, corpus.vocabulary, config.model.embedding_width)
    plan.check(corpus)


def started(
    load: Callable[[], Sequence[ExperimentConfig]], folder: DataFolder, corpus: Corpus, mutant: object
) -> bool:
    """Say whether an experiment would start; if not, that has to be said in a line or a few."""
    try:
        for config in load():
            plan_and_check(config, folder, corpus)
        return True
    except UserError as error:
        lines = str(error).splitlines()
        assert 0 < len(lines) <= 11, shown(mutant)[:500]
        for line in lines:
            assert line.strip(), shown(mutant)[:500]
            assert len(line) < 1_500, line
            # Any terminal can show it.
            line.encode()
        return False
    except Exception as error:
        what = f"{type(error).__name__}: {str(error)[:300]}\n{shown(mutant)[:1_000]}"
        raise AssertionError(what) from error


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.usefixtures("passing_registrations")
def test_a_mutated_experiment_starts_or_is_one_line_with_a_path(
    chunk: int, folder: DataFolder, corpus: Corpus, everything: bool
) -> None:
    rng = random.Random(chunk)
    count = (ALL if everything else SAMPLE) // CHUNKS
    found = []
    for _ in range(count):
        mutant = mutate(rng.choice(VALID), rng)
        found.append(started(lambda mutant=mutant: [validate(mutant)], folder, corpus, mutant))
    assert 0 < sum(found) / count < 0.9


@pytest.mark.parametrize("fault", list(FAULTS))
@pytest.mark.usefixtures("passing_registrations")
def test_a_mutated_file_starts_or_is_one_line_with_a_path(
    fault: str, folder: DataFolder, corpus: Corpus, everything: bool, tmp_path: Path
) -> None:
    rng = random.Random(fault)
    for number in range(100 if everything else 10):
        text = json.dumps(rng.choice(VALID), indent=rng.choice([None, 2]))
        path = tmp_path / f"file{number}.{rng.choice(['json', 'jsonnet'])}"
        path.write_text(FAULTS[fault](text, rng), encoding="utf-8")

        mutant = path.read_text(encoding="utf-8")
        started(lambda path=path: load_experiments(path), folder, corpus, mutant)
