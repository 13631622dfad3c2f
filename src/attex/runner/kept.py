"""What a process keeps between stages that follow each other: corpora, vectors, and the last model."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch

from attex.data.corpus import Corpus
from attex.foundations.storage import read_tensors
from attex.models.architecture import MODELS
from attex.models.assembly import assemble, load_model
from attex.models.classifier import AttentionModel
from attex.training.trainer import TRAINERS, Trainer

Thing = TypeVar("Thing")
Settings = Mapping[str, Any]
"""Those of a stage that has to do with a model: `model`, `trainer`, `sources`, perhaps `seed`.

Of each source, by name, `model`, `trainer` and `sources` again.
"""
Inputs = Mapping[str, Path]
"""The folders of a stage's inputs, by name."""

_CORPORA, _VECTORS, _MODELS = 4, 4, 1
"""How many of each: an experiment has one, and a sweep goes through few side by side."""


class _Kept:
    """The things read last, by the folder they were read from, for as long as it is the same."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[Any, Any] = OrderedDict()

    def get(self, folder: Path, also: Any, read: Callable[[], Thing]) -> Thing:
        what = folder, folder.stat().st_mtime_ns, folder.stat().st_ino, also
        if what not in self._things:
            self._things[what] = read()
        self._things.move_to_end(what)
        while len(self._things) > self._most:
            self._things.popitem(last=False)
        thing: Thing = self._things[what]
        return thing


_corpora, _vectors, _models = _Kept(_CORPORA), _Kept(_VECTORS), _Kept(_MODELS)


def corpus_in(folder: Path) -> Corpus:
    """Read a corpus; it is shared, so nobody may change it."""
    return _corpora.get(folder, None, lambda: Corpus.load(folder))


def vectors_in(folder: Path) -> torch.Tensor:
    """Read the matrix of pretrained vectors; it is shared, too."""
    return _vectors.get(folder, None, lambda: read_tensors(folder / "vectors.safetensors")[0]["matrix"])


def fresh_model(
    settings: Settings, corpus: Corpus, inputs: Inputs, device: torch.device
) -> AttentionModel:
    """Build a model as a training starts from it, with the vectors among the inputs, if any."""
    pretrained = vectors_in(inputs["vectors"]) if "vectors" in inputs else None
    spec, size, classes = MODELS.spec(settings["model"]), corpus.vocabulary_size, len(corpus.classes)
    trainer: Trainer = TRAINERS.bind(TRAINERS.spec(settings["trainer"]))
    seed = trainer.first_weights(settings["seed"])
    return assemble(spec, size, classes, seed, pretrained).to(device)


def source_models(
    settings: Settings, corpus: Corpus, inputs: Inputs, device: torch.device, of: str = ""
) -> dict[str, AttentionModel]:
    """Read the trained models that a trainer asks for, by its names for them.

    `of` is the name of the source, with a dot, whose own sources are meant.
    """
    return {
        name: source_model(source, f"{of}{name}", corpus, inputs, device)
        for name, source in settings["sources"].items()
    }


def source_model(
    source: Settings, name: str, corpus: Corpus, inputs: Inputs, device: torch.device
) -> AttentionModel:
    """Read one of them, or one that a model is only compared with, by its name among the inputs."""
    return _loaded(source, corpus, inputs[f"source {name}"], inputs, device, f"{name}.")


def untrained_model(
    settings: Settings, corpus: Corpus, inputs: Inputs, device: torch.device
) -> AttentionModel:
    """Build a model as it is before training, to be looked at."""
    model = fresh_model(settings, corpus, inputs, device)
    return _wrapped(model, settings, corpus, inputs, device)


def trained_model(
    settings: Settings, corpus: Corpus, inputs: Inputs, device: torch.device
) -> AttentionModel:
    """Read the model of a finished training, to be looked at; it is shared, so nobody may change it."""
    training = inputs["training"]

    def read() -> AttentionModel:
        return _loaded(settings, corpus, training, inputs, device)

    return _models.get(training, str(device), read)


def _loaded(
    settings: Settings,
    corpus: Corpus,
    training: Path,
    inputs: Inputs,
    device: torch.device,
    of: str = "",
) -> AttentionModel:
    def wrap(model: AttentionModel) -> AttentionModel:
        return _wrapped(model, settings, corpus, inputs, device, of)

    spec, size, classes = MODELS.spec(settings["model"]), corpus.vocabulary_size, len(corpus.classes)
    return load_model(spec, size, classes, training / "model.safetensors", device, wrap)


def _wrapped(
    model: AttentionModel,
    settings: Settings,
    corpus: Corpus,
    inputs: Inputs,
    device: torch.device,
    of: str = "",
) -> AttentionModel:
    trainer: Trainer = TRAINERS.bind(TRAINERS.spec(settings["trainer"]))
    return trainer.wrap(model, source_models(settings, corpus, inputs, device, of)).eval()
