"""Levels of studies that set models against models: a base, the same without attention, adversaries."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from attex.foundations.errors import UserError, brief
from attex.training.trainer import TRAINERS

BASE, OTHER_SEED, UNIFORM = "base", "another seed", "uniform"
Kind = Literal["free", "frozen"]
KINDS: dict[Kind, str] = {"free": "adversary", "frozen": "frozen adversary"}
"""What adversaries are called: of the base's kind, or of its very states."""

Weights = Annotated[tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...], Field(min_length=1)]
GRID = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""The λ of the adversaries, where a file does not say which: half powers of ten, nearly."""

_OWN = {"type", "base", "weight", "frozen", "divergence", "metric", "class_weights"}
"""Options of an adversary that are not those of its base's training, whatever their names."""

Levels = dict[str, dict[str, Any]]


def rival(kind: Kind, weight: float) -> str:
    """Name the level of an adversary."""
    return f"{KINDS[kind]}, λ = {weight:g}"


def trainer_of(base: Mapping[str, Any], study: str) -> dict[str, Any]:
    """Return the trainer of a base as it is written; it is supervised, or `UserError` is raised."""
    written = base.get("trainer", {})
    trainer = {"type": written} if isinstance(written, str) else dict(written)
    kind = trainer.setdefault("type", "supervised")
    if kind != "supervised":
        raise UserError(
            f"base.trainer: a study of kind '{study}' needs a supervised base, not '{brief(kind)}': it "
            "trains adversaries and others of it by itself"
        )
    return {key: value for key, value in trainer.items() if key != "beside"}


def asking(base: Mapping[str, Any], *analyses: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys by which a model is asked what its file asks, and these analyses.

    A file that asks for nothing gets these alone, and no measure.
    """
    asked = list(base.get("analyses", ()))
    known = {one if isinstance(one, str) else one.get("type") for one in asked}
    asked += [dict(one) for one in analyses if one["type"] not in known]
    return {"analyses": asked} | ({} if "analyses" in base else {"importance": []})


def other_seeds(base: Mapping[str, Any], trainer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that set a model beside those of all other seeds of the study."""
    return {"trainer.beside": {"trainer": dict(trainer), "seeds": list(base["seeds"])}}


def uniform(base: Mapping[str, Any], trainer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of the model that is trained with even weights, beside the base."""
    beside = {"model": base.get("model", "attention"), "trainer": dict(trainer)}
    return {"model.attention.projection": "uniform", "trainer.beside": beside}


def adversaries(
    trainer: Mapping[str, Any],
    kinds: Sequence[Kind],
    weights: Sequence[float],
    divergence: str,
    training: Mapping[str, Any],
) -> Levels:
    """Return a level for each adversary, trained as its base is but for what `training` says."""
    known = TRAINERS["adversarial"].options.model_fields.keys() - _OWN
    alike = {key: value for key, value in trainer.items() if key in known}
    return {
        rival(kind, weight): {
            "trainer": {
                "type": "adversarial",
                "base": {"trainer": dict(trainer)},
                "weight": weight,
                "frozen": kind == "frozen",
                "divergence": divergence,
                **alike,
                **training,
            }
        }
        for kind in kinds
        for weight in weights
    }
