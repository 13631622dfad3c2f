"""What of a chosen component is part of a key: not what joined later, changes nothing, or is a fact."""

from typing import Annotated

import pytest
from pydantic import Field
from pydantic_core import PydanticCustomError

from attex.foundations.registry import LATER, RUNTIME, Registry, Spec


def test_an_option_that_joined_later_is_no_part_of_a_key_at_its_default() -> None:
    registry: Registry[int] = Registry("thing", "attex.foundations")

    @registry.register("grown")
    def grown(*, size: int = 1, shade: Annotated[float, Field(ge=0), LATER] = 0.0) -> int:
        return size

    usual, changed = registry.spec("grown"), registry.spec({"type": "grown", "shade": 0.5})
    assert usual.settings() == {"type": "grown", "size": 1}
    assert changed.settings() == changed.model_dump() == {"type": "grown", "size": 1, "shade": 0.5}
    assert usual.model_dump()["shade"] == 0.0, "the resolved configuration has every option"
    with pytest.raises(PydanticCustomError):
        registry.spec({"type": "grown", "shade": -1.0})


def test_a_new_version_of_a_component_changes_its_keys_and_nothing_else_at_any_depth() -> None:
    registry: Registry[int] = Registry("thing", "attex.foundations")

    @registry.register("kept")
    def kept(*, version: str = "an option of that name") -> int:
        return 1

    @registry.register("mended", version=2)
    def mended(*, size: int = 1) -> int:
        return size

    @registry.register("box")
    def box(*, inside: Annotated[Spec, registry.choice]) -> int:
        return 0

    assert registry.spec("kept").settings() == registry.spec("kept").model_dump()
    boxed = registry.spec({"type": "box", "inside": "mended"})
    assert boxed.settings()["inside"] == {"type": "mended", "size": 1, "component version": 2}
    assert boxed.model_dump() == {"type": "box", "inside": {"type": "mended", "size": 1}}
    assert boxed.title == "box(inside=mended)"
    assert registry.bind(registry.spec("mended"))() == 1


SMALL_SPARE: Registry[str] = Registry("part", "attex.foundations", loud=False)


@SMALL_SPARE.register("engine", loud=True)
def engine(
    *,
    power: int = 1,
    memory: Annotated[int | None, RUNTIME] = None,
    turbo: Annotated[bool, LATER] = False,
) -> str:
    """Moves."""
    return f"{power}"


@SMALL_SPARE.register("car")
def car(
    *,
    engine: Annotated[Spec, SMALL_SPARE.choice],
    spares: tuple[Annotated[Spec, SMALL_SPARE.choice], ...] = (),
) -> str:
    """Carries an engine."""
    return engine.type


def test_what_changes_no_result_is_in_no_key_and_no_title_at_any_depth() -> None:
    def spec(**options: object) -> Spec:
        inside = {"type": "engine", **options}
        return SMALL_SPARE.spec({"type": "car", "engine": inside, "spares": [inside]})

    plain, budgeted, fast = spec(), spec(memory=7), spec(turbo=True)
    assert budgeted.settings() == plain.settings()
    assert budgeted.title == plain.title == "car(engine=engine, spares=[engine])"
    assert "memory" not in str(plain.settings())
    assert "turbo" not in str(plain.settings())
    assert fast.settings()["engine"] == {"power": 1, "turbo": True, "type": "engine"}
    assert budgeted.options()["engine"].options()["memory"] == 7, "it is still what was asked for"


def test_a_fact_has_its_kinds_default_and_no_other_fact_is_taken() -> None:
    assert SMALL_SPARE["engine"].facts == {"loud": True}
    assert SMALL_SPARE["car"].facts == {"loud": False}
    with pytest.raises(ValueError, match="a part has no fact 'quiet'; known: loud"):
        SMALL_SPARE.register("wheel", quiet=True)(engine)
