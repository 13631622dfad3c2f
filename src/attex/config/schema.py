"""The shape of an experiment."""

import functools
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, field_validator

from attex.analyses.analysis import ANALYSES
from attex.config.masking import Masking
from attex.data.reader import READERS
from attex.data.vectors import VectorFile
from attex.foundations.errors import brief
from attex.foundations.registry import Spec, Strict
from attex.importance.measure import MEASURES
from attex.models.architecture import MODELS
from attex.training.trainer import TRAINERS

_BYTES = 200

_Vectors = Annotated[
    VectorFile, BeforeValidator(VectorFile.named, json_schema_input_type=str | VectorFile)
]


class ExperimentConfig(Strict):
    """One experiment: data, model, training, and what is asked of the trained models.

    `imports` names modules of your own that register further components; `vectors` is a file of
    pretrained word vectors: its name, or `{path, length, unknown}`; `masked` takes the tokens from the
    texts that a measure finds important. `folder` is that of the experiment
    file, where there is one: raw files may lie there. It is no setting, and no part of any key.
    """

    name: Annotated[str, Field(pattern=r"^\w[\w.=+-]*$", max_length=120)] = "experiment"
    imports: tuple[str, ...] = ()
    data: Annotated[Spec, READERS.choice] = READERS.spec("planted")
    masked: Masking | None = None
    vectors: _Vectors | None = None
    model: Annotated[Spec, MODELS.choice] = MODELS.spec("attention")
    trainer: Annotated[Spec, TRAINERS.choice] = TRAINERS.spec("supervised")
    seeds: Annotated[tuple[Annotated[int, Field(ge=0, lt=2**31)], ...], Field(min_length=1)] = (0,)
    importance: tuple[Annotated[Spec, MEASURES.choice], ...] = (
        MEASURES.spec("attention"),
        MEASURES.spec("gradient"),
        MEASURES.spec("leave_one_out"),
    )
    analyses: tuple[Annotated[Spec, ANALYSES.choice], ...] = (ANALYSES.spec("agreement"),)

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        # A file system counts bytes, and a letter outside ASCII has up to four.
        if len(name.encode()) > _BYTES:
            raise ValueError(f"should have at most {_BYTES} bytes in UTF-8, to be a folder's name")
        return name

    @field_validator("seeds")
    @classmethod
    def _seeds_differ(cls, seeds: tuple[int, ...]) -> tuple[int, ...]:
        return _once(seeds, [str(seed) for seed in seeds])

    @field_validator("importance")
    @classmethod
    def _measures_differ(cls, measures: tuple[Spec, ...]) -> tuple[Spec, ...]:
        return _once(measures, [measure.title for measure in measures])

    @field_validator("analyses")
    @classmethod
    def _analyses_differ(cls, analyses: tuple[Spec, ...]) -> tuple[Spec, ...]:
        # Their tables go by the analysis' name: a second one would overwrite the first.
        return _once(analyses, [analysis.type for analysis in analyses])

    @functools.cached_property
    def folder(self) -> Path | None:
        """The folder of the experiment file; no field, so that two experiments are equal without it."""
        return None

    def found_in(self, folder: Path | None) -> Self:
        """Return the same experiment, from a file in a folder."""
        found = self.model_copy()
        vars(found)["folder"] = folder
        return found

    def with_truth(self) -> Self:
        """Return the experiment with the analysis `truth`, if its data names a column for that."""
        marked = getattr(self.data, "rationale", None) is not None
        named = {analysis.type for analysis in self.analyses}
        # None at all is what an experiment has that is only to train.
        if not marked or not named or "truth" in named:
            return self
        return self.model_copy(update={"analyses": (*self.analyses, ANALYSES.spec("truth"))})

    def resolved(self) -> dict[str, Any]:
        """Return the whole experiment as plain JSON, every default filled in."""
        return self.model_dump(mode="json")


def _once(values: tuple[Any, ...], names: list[str]) -> tuple[Any, ...]:
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"'{brief(twice)}' stands here twice")
    return values
