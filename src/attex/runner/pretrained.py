"""Experiments whose models start from a pretrained one: where it is, and the texts in its pieces."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attex.analyses.analysis import PERMUTED
from attex.config.schema import ExperimentConfig
from attex.data.corpus import Corpus
from attex.foundations.errors import UserError
from attex.importance.measure import is_over_states
from attex.models.architecture import MODELS, Architecture
from attex.models.pretrained_folder import WordCutter, files_of, locate, moved
from attex.runner.stage import Stage
from attex.runner.stages.subwords import SubwordsStage

if TYPE_CHECKING:
    from attex.runner.plan import Plan


def located(config: ExperimentConfig, places: Sequence[Path]) -> ExperimentConfig:
    """Return the experiment with the folder of its pretrained model, if it has one, found and named."""
    architecture: Architecture = MODELS.bind(config.model)
    if architecture.path is None:
        return config
    model = moved(config.model, locate(architecture.path, places))
    return config.model_copy(update={"model": model}).found_in(config.folder)


def made_of(path: str | None, digest: Callable[[Path], str]) -> dict[str, str]:
    """Return the digests of the files that a pretrained model is made of, by their names."""
    return {} if path is None else {file.name: digest(file) for file in files_of(Path(path))}


def corpus_in_pieces(words: Stage, path: str | None, files: dict[str, str]) -> Stage:
    """Plan the corpus that a model reads: the words themselves, or the pieces that they are cut into."""
    if path is None:
        return words
    return SubwordsStage.planned(
        words.title, {"files": files}, {"corpus": words}, unkeyed={"path": path}
    )


def check_pretrained(plan: "Plan", corpus: Corpus) -> None:
    """Raise `UserError` where the experiment asks for what its kind of model does not have."""
    config, architecture = plan.config, plan.architecture
    plan.trainer.check_architecture(architecture)
    if not plan.trainer.trains:
        architecture.check_trained(corpus.classes)
        if len(config.seeds) > 1:
            raise UserError("seeds: a model that is not trained is the same for all; name one seed")
    if architecture.path is not None:
        WordCutter(Path(architecture.path))
        if config.vectors is not None:
            raise UserError("vectors: a pretrained model has its own; leave them out")
        if config.masked is not None and corpus.has_queries:
            raise UserError("masked: a pretrained model reads text and query as one; mask texts without")
    if not architecture.over_states:
        for measure in config.importance:
            if is_over_states(measure):
                raise UserError(
                    f"importance: '{measure.title}' is of the states under one attention, which a "
                    f"{config.model.type} does not have; leave it out"
                )
        if plan.wants(PERMUTED):
            raise UserError(
                "analyses: a control with permuted attention needs one attention over states, which a "
                f"{config.model.type} does not have; set its controls to never"
            )
