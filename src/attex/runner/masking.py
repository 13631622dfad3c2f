"""Experiments on texts whose important tokens are masked: what their corpora are made of."""

from typing import TYPE_CHECKING

from attex.config.loading import validate
from attex.config.schema import ExperimentConfig
from attex.data.corpus import Corpus
from attex.data.reader import SPLITS
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.runner.stage import Stage
from attex.runner.stages.masked import BY_TRUTH, EVERYTHING, MaskedStage

if TYPE_CHECKING:
    from attex.runner.plan import Plan


def seeds_apart(config: ExperimentConfig) -> list[ExperimentConfig]:
    """Return an experiment once for each seed, where each has texts of its own; else as it is."""
    if config.masked is None:
        return [config]
    seeds = ({"seeds": (seed,)} for seed in config.seeds)
    return [config.model_copy(update=seed).found_in(config.folder) for seed in seeds]


def scoring_experiment(config: ExperimentConfig) -> ExperimentConfig | None:
    """Return the experiment whose model scores the tokens: this one, with less or nothing masked.

    None where no model is asked: nothing or everything is masked, or what is known to decide.
    """
    masked = config.masked
    if masked is None or masked.share in (0, 1) or masked.by_truth:
        return None
    if len(config.seeds) > 1:
        raise UserError(
            f"{config.name}: masked: every seed masks by a model of its own, so that an experiment on "
            "masked texts has one seed; a study can have several"
        )
    own = config.resolved()
    before = own["masked"] | {"share": masked.before} if masked.before else None
    fixed = {"masked": before, "seeds": own["seeds"], "importance": [], "analyses": []}
    name = {"name": f"{config.name.partition('.masked')[0]}.masked{masked.before:.0%}".rstrip("%")}
    whole = own | name | dict(masked.model) | fixed
    return validate(whole, origin=f"{config.name}: masked.model", folder=config.folder)


def masked_corpus(plan: "Plan") -> Stage:
    """Plan the corpus of an experiment: its texts less what is masked."""
    masked = plan.config.masked
    if masked is None or masked.share == 0:
        return plan.whole
    title = f"{plan.config.name}: {masked.words}"
    scoring = plan.scored_by
    if scoring is None:
        by = {"by": BY_TRUTH if masked.share < 1 else EVERYTHING}
        return MaskedStage.planned(title, {"share": masked.share} | by, {"corpus": plan.whole})
    (seed,) = plan.config.seeds
    measure = _drawn_anew(masked.measure, seed)
    scores = {f"scores of {split}": scoring.importance_of(measure, seed, split) for split in SPLITS}
    return MaskedStage.planned(title, {"share": masked.share}, {"corpus": scoring.words} | scores)


def check_masking(plan: "Plan", corpus: Corpus) -> None:
    """Raise `UserError` where tokens cannot be masked as the experiment says."""
    masked = plan.config.masked
    if masked is not None and masked.by_truth:
        unknown = [name for name, part in corpus.splits.items() if part.truth is None]
        if unknown:
            raise UserError(
                f"masked.measure: the {unknown[0]} texts have no marks of the tokens that decide, which "
                "'truth' would mask"
            )
    if masked is not None and plan.scored_by is not None:
        try:
            plan.scored_by.check(corpus)
            plan.scored_by.check_measure(masked.measure, corpus)
        except UserError as problem:
            raise UserError(f"masked.model: {problem}") from None


def _drawn_anew(measure: Spec, seed: int) -> Spec:
    """Let a measure that is drawn be drawn anew for every seed, as all that models are made of."""
    if "seed" not in type(measure).model_fields:
        return measure
    return measure.model_copy(update={"seed": measure.options()["seed"] + seed})
