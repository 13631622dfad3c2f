"""From a study file to what is asked: a base experiment, choices, cells and seeds."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError
from pydantic_core import PydanticCustomError

from attex.config.evaluation import evaluate, located
from attex.config.overrides import apply_override
from attex.config.own_table import table_kind
from attex.config.plain import plain
from attex.config.problems import describe, problem_lines
from attex.foundations.errors import UserError
from attex.foundations.registry import Spec, Strict
from attex.studies.choices import Choice, Level, apply, read_choices
from attex.studies.study import STUDIES, Study

Keep = Literal["numbers", "runs"]


class _Fields(Strict):
    """What every study has beside the options of its kind."""

    name: Annotated[str, Field(pattern=r"^\w[\w.=+-]*$", max_length=60)]
    base: dict[str, Any] | str
    choices: dict[str, Any] = Field(default_factory=dict)
    cells: dict[str, Any] | tuple[dict[str, Any], ...] = ()
    seeds: Annotated[tuple[Annotated[int, Field(ge=0, lt=2**31)], ...], Field(min_length=1)] = (0, 1)
    blocks: Annotated[int, Field(ge=1)] | None = None
    keep: Keep = "numbers"


@dataclass(frozen=True)
class CellGroup:
    """Cells that are crossed with each other, and how many blocks of the design each has."""

    factors: tuple[Choice, ...]
    blocks: int | None


@dataclass(frozen=True)
class StudyFile:
    """A study as its file has it; `base` is not validated yet, since choices may complete it.

    `choices` are those of the file, and after them what the study itself `brings`.
    """

    origin: str
    folder: Path | None
    name: str
    spec: Spec
    base: dict[str, Any]
    choices: tuple[Choice, ...]
    brings: tuple[Choice, ...]
    groups: tuple[CellGroup, ...]
    seeds: tuple[int, ...]
    keep: Keep
    written: Mapping[str, Any]

    def resolved(self) -> dict[str, Any]:
        """Return the study as plain JSON: what was written, with the defaults of its kind."""
        options = self.spec.model_dump(mode="json")
        del options["type"]
        whole = {"name": self.name, "base": self.base, "seeds": list(self.seeds), "keep": self.keep}
        return {"study": self.spec.type} | dict(self.written) | whole | options

    @property
    def study(self) -> Study:
        """What is made of the models."""
        study: Study = STUDIES.bind(self.spec)
        return study

    def set_levels(self, fields: dict[str, Any], levels: Sequence[int]) -> dict[str, Level]:
        """Set the keys of the chosen levels in an experiment; return the levels, by choice, that exist.

        What the study brings is asked for again, with what the file's own choices have set by then.
        """
        count = len(self.choices) - len(self.brings)
        chosen = apply(fields, self.choices[:count], levels[:count])
        brought = _brought(self.study, fields, self.seeds, self.origin)
        return chosen | apply(fields, brought, levels[count:])


def is_study(value: Any) -> bool:
    """Say whether what a file holds is a study, and not an experiment."""
    return isinstance(value, Mapping) and "study" in value


def find_study(
    path: Path, overrides: Sequence[str] = (), external: Mapping[str, str] | None = None
) -> StudyFile | None:
    """Read a study file; None if it is no study. Overrides change its base."""
    if table_kind(path) is not None:
        return None
    path = located(path)
    value = evaluate(path, external)
    if not is_study(value):
        return None
    return read_study(value, overrides, str(path), path.stem, path.parent)


def read_study(
    value: Mapping[str, Any],
    overrides: Sequence[str] = (),
    origin: str = "study",
    name: str = "study",
    folder: Path | None = None,
) -> StudyFile:
    """Turn plain data into a study, or say where it is wrong and what was meant."""
    written: dict[str, Any] = {"name": name} | plain(value, origin)
    kind = written.pop("study")
    known = _Fields.model_fields
    try:
        fields = _Fields.model_validate({k: v for k, v in written.items() if k in known})
    except ValidationError as error:
        raise UserError(describe(error, origin)) from None
    options = {key: option for key, option in written.items() if key not in known}
    try:
        spec = STUDIES.spec({"type": kind} | options)
    except PydanticCustomError as problem:
        raise UserError("\n".join(f"{origin}: {line}" for line in problem_lines(problem))) from None
    base = _base(fields.base, folder)
    for override in overrides:
        apply_override(base, override)
    if len(set(fields.seeds)) < len(fields.seeds):
        raise UserError(f"{origin}: seeds: one stands here twice")
    written_choices = read_choices(fields.choices, f"{origin}: choices")
    brings = _brought(STUDIES.bind(spec), base, fields.seeds, origin)
    both = {choice.name for choice in brings} & {choice.name for choice in written_choices}
    if both:
        raise UserError(
            f"{origin}: choices: '{min(both)}' is what a study of kind '{spec.type}' itself brings"
        )
    choices = (*written_choices, *brings)
    groups = tuple(_groups(fields, f"{origin}: cells"))
    taken = {choice.name for choice in choices} & {f.name for group in groups for f in group.factors}
    if taken:
        raise UserError(f"{origin}: '{min(taken)}' stands among both choices and cells")
    return StudyFile(
        origin,
        folder,
        fields.name,
        spec,
        base,
        choices,
        brings,
        groups,
        fields.seeds,
        fields.keep,
        written,
    )


def _brought(
    study: Study, base: Mapping[str, Any], seeds: Sequence[int], origin: str
) -> tuple[Choice, ...]:
    """Return what the study itself brings for such a base."""
    # A copy: what a level has of the base must stay as it is when the level's keys are set in the base.
    own = copy.deepcopy({**base, "seeds": list(seeds)})
    try:
        written = study.choices(own)
    except UserError as trouble:
        raise UserError(f"{origin}: {trouble}") from None
    return read_choices(written, f"{origin}: choices", fewest=1)


def _base(base: dict[str, Any] | str, folder: Path | None) -> dict[str, Any]:
    """Return the fields of the base experiment; a name is that of a file, or of one with attex."""
    if isinstance(base, dict):
        return dict(base)
    beside = Path(base) if folder is None else folder / base
    path = located(beside if beside.is_file() else Path(base))
    value = evaluate(path)
    if not isinstance(value, dict):
        raise UserError(f"{path}: the base of a study is one experiment")
    return value


def _groups(fields: _Fields, where: str) -> Sequence[CellGroup]:
    written = fields.cells if isinstance(fields.cells, tuple) else (fields.cells,)
    groups = []
    for number, group in enumerate(written or ({},)):
        place = where if len(written) < 2 else f"{where}[{number}]"
        blocks = group.get("blocks", fields.blocks)
        if blocks is not None and (not isinstance(blocks, int) or blocks < 1):
            raise UserError(f"{place}.blocks: expected how many blocks of the design, 1 or more")
        factors = {key: levels for key, levels in group.items() if key != "blocks"}
        groups.append(CellGroup(read_choices(factors, place, fewest=1), blocks))
    return groups
