"""From what a model is made of to the model: untrained, or with its weights."""

import functools
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import Tensor

from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.foundations.storage import read_tensors
from attex.models.architecture import MODELS, Architecture
from attex.models.classifier import AttentionModel
from attex.models.pretrained import weights_come_later


def assemble(
    spec: Spec, vocabulary_size: int, classes: int, seed: int, vectors: Tensor | None = None
) -> AttentionModel:
    """Build an untrained model; its weights depend on the seed only, on every device.

    `spec` is a choice of `MODELS`; vectors [V,d] are pretrained ones, a row for every known word.
    """
    architecture: Architecture = MODELS.bind(spec)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return architecture.build(vocabulary_size, classes, vectors)


def without_numbers(spec: Spec, vocabulary_size: int, classes: int) -> AttentionModel:
    """Build a model that has shapes only; what can be built so can be built. A study asks often."""
    return _shapes(json.dumps(spec.model_dump(mode="json")), vocabulary_size, classes)


@functools.lru_cache(maxsize=64)
def _shapes(model: str, vocabulary_size: int, classes: int) -> AttentionModel:
    with torch.device("meta"):
        return assemble(MODELS.spec(json.loads(model)), vocabulary_size, classes, seed=0)


def check_queries(model: AttentionModel, corpus: Corpus) -> None:
    """Raise `UserError` unless the model is asked something where texts have a query, and only there.

    A model that reads pieces of words reads text and query as one.
    """
    if model.encoder.reads_pieces:
        return
    if corpus.has_queries and model.query is None:
        raise UserError(
            "the texts come with a query, which the model does not take; "
            "set model.query to {} and model.decoder to query"
        )
    if model.query is not None and not corpus.has_queries:
        raise UserError("model.query: the texts come without a query; leave it out")
    chosen = any(part.candidates is not None for part in corpus.splits.values())
    if chosen and not model.decoder.takes_query:
        raise UserError("the texts name candidates for the answer; set model.decoder to query")


def load_model(
    spec: Spec,
    vocabulary_size: int,
    classes: int,
    weights: Path,
    device: torch.device,
    wrap: Callable[[AttentionModel], AttentionModel] = lambda model: model,
) -> AttentionModel:
    """Build a trained model from its weights; raise `UserError` if they are not its weights.

    `wrap` puts the model into what was trained, of whose weights some may be beside those of the model.
    """
    with weights_come_later():
        built = assemble(spec, vocabulary_size, classes, seed=0)
    model = wrap(built.to(device))
    tensors = read_tensors(weights)[0]
    problem = _problem(tensors, model.state_dict())
    if problem:
        raise UserError(f"{weights}: {problem}")
    model.load_state_dict(tensors)
    return model.to(device).eval()


def _problem(tensors: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> str | None:
    """Say what is wrong with weights that were read, first of all whether they are the right ones."""
    for name, value in wanted.items():
        if name not in tensors:
            return f"there are no weights '{name}', which this model has"
        if tensors[name].shape != value.shape:
            shapes = list(tensors[name].shape), list(value.shape)
            return "the weights '{}' are {}, and {} in this model".format(name, *shapes)
    for name, value in tensors.items():
        if name not in wanted:
            return f"there are weights '{name}', which this model does not have"
        # Outputs that are no numbers are all of one class: a report would show an accuracy for them.
        if not value.isfinite().all():
            return f"the weights '{name}' are not all finite numbers; the model must be trained again"
    return None
