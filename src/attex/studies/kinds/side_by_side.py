"""What all tests say of the same attention, on one page."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, PlainValidator
from pydantic_core import PydanticCustomError

from attex.foundations.errors import UserError
from attex.foundations.registry import Spec
from attex.studies.attention_tests import Tests
from attex.studies.designs import Design, every_combination
from attex.studies.joined import brought, crossed_names, joined_levels, runs_of
from attex.studies.kinds.deception import Deception
from attex.studies.parts.panels import panels
from attex.studies.parts.side_by_side import side_by_side_part
from attex.studies.rivals import asking
from attex.studies.run_set import RunSet
from attex.studies.study import STUDIES, Answer, Offered, Study

CHOICE = "tested"
ITSELF = "itself"
_KINDS = ("frontier", "guides", "roar", "deception")
_STUDIES = tuple(map(STUDIES.spec, ("frontier", "guides", "roar")))


def _member(value: Any) -> Spec:
    spec = STUDIES.spec(value)
    if spec.type not in _KINDS:
        raise PydanticCustomError(
            "no_member", "'{kind}' is none of {known}", {"kind": spec.type, "known": ", ".join(_KINDS)}
        )
    return spec


# Not `STUDIES.choice`, which this study is among: its description would have no end.
Member = Annotated[
    Spec,
    PlainValidator(_member, json_schema_input_type=str | dict[str, Any]),
    PlainSerializer(lambda spec: spec.model_dump()),
]

_MEASURES = ("attention", "gradient", "leave_one_out", "random")
_ANALYSES = ("agreement", "erasure", "truth")


@STUDIES.register("side_by_side")
class SideBySide(Study):
    """All tests of one attention on one page: what each says, and where they contradict each other.

    The base is a supervised experiment. `studies` are those whose models are trained of it, each with
    its options: `frontier`, `guides`, `roar`, and `deception` where the data marks impermissible tokens;
    a frontier is always among them. The base itself is asked for agreement, erasure and, where the data
    knows it, the truth; and for what its file asks. Every test is held against what chance gives,
    or against another seed of the base, so that it speaks for the attention, against it, or does not
    tell. The parts of all these studies follow.
    """

    title = "Tests side by side"
    cell_by_cell = True

    def __init__(
        self,
        *,
        studies: Annotated[tuple[Member, ...], Field(min_length=1)] = _STUDIES,
    ) -> None:
        self.studies: dict[str, Study] = {spec.type: STUDIES.bind(spec) for spec in studies}
        self._count = len(studies)

    def choices(self, base: Mapping[str, Any]) -> Mapping[str, Any]:
        """Bring the base, and all models of the studies as levels of one choice."""
        self._check(base)
        measures = list(base.get("importance", ()))
        known = {one if isinstance(one, str) else one.get("type") for one in measures}
        measures += [name for name in _MEASURES if name not in known]
        levels: dict[str, dict[str, Any]] = {
            ITSELF: asking(base, *({"type": name} for name in _ANALYSES)) | {"importance": measures}
        }
        # What the file asks is asked of the base alone, and not of every model that is held against it.
        lean = {key: value for key, value in base.items() if key not in ("analyses", "importance")}
        for name, study in self.studies.items():
            # But for options of the analysis that deception is about.
            levels |= joined_levels(name, brought(study, base if name == "deception" else lean))
        return {CHOICE: levels}

    def _check(self, base: Mapping[str, Any]) -> None:
        if len(self.studies) < self._count:
            raise UserError("studies: one stands here twice")
        if "frontier" not in self.studies:
            raise UserError("studies: a frontier must be among them; others are held against its models")
        if len(base["seeds"]) < 2:
            raise UserError("seeds: tests are held against another seed, so that two or more are needed")

    def design(self, levels: Sequence[int], blocks: int | None, names: Sequence[str]) -> Design:
        """Cross all levels."""
        own = {choice.name for study in self.studies.values() for choice in brought(study)}
        taken = own & set(names)
        if taken:
            raise ValueError(f"choices: '{min(taken)}' is what a study among 'studies' itself brings")
        return every_combination(levels, blocks, "a study of kind 'side_by_side'")

    def check(self, cells: Offered) -> None:
        """Refuse what a study of predictions refuses; deception's trainer looks at the texts itself."""
        for study in self.studies.values():
            if not isinstance(study, Deception):
                study.check(cells)

    def as_published(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Name the numbers of every study as it does alone."""
        found: list[Mapping[str, Any]] = []
        for name, study in self.studies.items():
            levels = {
                level: dict(zip((c.name for c in choices), names, strict=True))
                for choices in [brought(study)]
                for level, names in crossed_names(name, choices).items()
            }
            mine = [
                {key: value for key, value in row.items() if key != CHOICE} | levels[row[CHOICE]]
                for row in rows
                if row[CHOICE] in levels
            ]
            found += study.as_published(mine) or ()
        return found

    def __call__(self, runs: RunSet, designs: Sequence[Design]) -> Answer:
        """Say what every test says, then give the answers of all studies."""
        apart = {
            name: runs_of(runs, CHOICE, name, brought(study)) for name, study in self.studies.items()
        }
        tests = Tests(self.studies, apart)
        every = [*panels(runs, CHOICE)]
        part, headlines = side_by_side_part({panel.name: [*tests.of(panel)] for panel in every}, every)
        parts = [part]
        for name, mine in tests.there().items():
            parts += self.studies[name](mine, designs).parts
        return Answer(part.sentences[: len(every)], parts, headlines)
