"""The registry: a signature is a schema, and a wrong name or key is answered with the right one."""

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Literal

import jsonschema
import pytest
from pydantic import BaseModel, Field, ValidationError
from pydantic_core import PydanticCustomError

from attex.foundations.registry import Registry, Spec, did_you_mean

TOOLS: Registry[str] = Registry("tool", "attex.foundations", default="hammer")
MACHINES: Registry[str] = Registry("machine", "attex.foundations")


@TOOLS.register("hammer", aliases=("mallet", "gavel"), cite="Thor 900")
def hammer(
    wood: str,
    *,
    weight: Annotated[int, Field(ge=1)] = 3,
    head: Literal["steel", "rubber"] = "steel",
) -> str:
    """Drives nails.

    And thumbs.
    """
    return f"{wood} {weight} {head}"


@TOOLS.register("saw")
class Saw:
    """Cuts boards."""

    def __init__(self, wood: str, *, teeth: int) -> None:
        self.wood = wood
        self.teeth = teeth


HAMMER = TOOLS.spec("hammer")


@MACHINES.register("robot")
def robot(
    *,
    arm: Annotated[Spec, TOOLS.choice] = HAMMER,
    spares: tuple[Annotated[Spec, TOOLS.choice], ...] = (),
) -> str:
    """Holds tools."""
    return f"{arm.type} {len(spares)}"


class Workshop(BaseModel):
    machine: Annotated[Spec, MACHINES.choice]


def problem(registry: Registry[str], value: object) -> str:
    with pytest.raises(PydanticCustomError) as caught:
        registry.spec(value)
    return str(caught.value)


def places(value: object) -> list[tuple[object, ...]]:
    """Where a nested choice says it is wrong, outermost first."""
    with pytest.raises(ValidationError) as caught:
        Workshop.model_validate({"machine": value})
    found, errors = [], caught.value.errors()
    while errors:
        found.append(errors[0]["loc"])
        errors = errors[0].get("ctx", {}).get("nested", [])
    return found


def test_keyword_only_parameters_are_the_options_and_positional_ones_are_not() -> None:
    assert TOOLS.spec("hammer").options() == {"weight": 3, "head": "steel"}


def test_options_are_taken_from_an_object() -> None:
    spec = TOOLS.spec({"type": "hammer", "weight": 8})
    assert spec.options() == {"weight": 8, "head": "steel"}


def test_an_option_without_default_is_required() -> None:
    assert problem(TOOLS, "saw") == "has errors"
    assert TOOLS.spec({"type": "saw", "teeth": 9}).options() == {"teeth": 9}


@pytest.mark.parametrize("alias", ["mallet", "gavel"])
def test_an_alias_is_the_same_choice_under_the_registered_name(alias: str) -> None:
    assert TOOLS.spec(alias) == TOOLS.spec("hammer")
    assert TOOLS.spec({"type": alias, "weight": 5}).model_dump()["type"] == "hammer"
    assert TOOLS[alias] is TOOLS["hammer"]
    assert alias in TOOLS


def test_an_object_without_type_means_the_default_where_there_is_one() -> None:
    assert TOOLS.spec({"weight": 5}).type == "hammer"
    assert problem(MACHINES, {}) == "the machine has no 'type'"


def test_a_finished_spec_passes_through() -> None:
    spec = TOOLS.spec("hammer")
    assert TOOLS.spec(spec) is spec


@pytest.mark.parametrize("value", ["hamer", {"type": "hamer"}])
def test_an_unknown_name_is_answered_with_the_nearest(value: object) -> None:
    assert problem(TOOLS, value) == "no tool 'hamer'; did you mean 'hammer'?"


def test_a_name_far_from_all_is_answered_with_all() -> None:
    assert problem(TOOLS, "zzz") == "no tool 'zzz'; known: hammer, saw"


@pytest.mark.parametrize("value", [3, None, ["hammer"], 1.5])
def test_a_choice_is_a_name_or_an_object(value: object) -> None:
    assert problem(TOOLS, value).startswith("expected the name of a tool or an object with its 'type'")


def test_a_type_that_is_no_name_is_refused() -> None:
    assert problem(TOOLS, {"type": 5}).startswith("no tool '5'")


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("wieght", "unknown key 'wieght'; did you mean 'weight'?"),
        ("colour", "unknown key 'colour'; known: head, weight"),
    ],
)
def test_an_unknown_key_is_answered_with_the_nearest_or_with_all(key: str, answer: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TOOLS["hammer"].options.model_validate({key: 1})
    assert [error["msg"] for error in caught.value.errors()] == [answer]


@pytest.mark.parametrize("options", [{"weight": "heavy"}, {"weight": 0}, {"head": "glass"}])
def test_options_are_checked_by_their_annotations(options: dict[str, object]) -> None:
    assert problem(TOOLS, {"type": "hammer"} | options) == "has errors"


def test_the_path_of_a_nested_error_is_kept() -> None:
    assert places({"type": "robot", "arm": {"weight": "heavy"}}) == [
        ("machine",),
        ("arm",),
        ("weight",),
    ]
    assert places({"type": "robot", "spares": ["saw"]}) == [("machine",), ("spares", 0), ("teeth",)]


def test_a_title_names_the_options_that_have_no_default_or_differ_from_it() -> None:
    assert TOOLS.spec("hammer").title == "hammer"
    assert TOOLS.spec({"type": "hammer", "weight": 3}).title == "hammer"
    assert TOOLS.spec({"type": "mallet", "weight": 8}).title == "hammer(weight=8)"
    assert TOOLS.spec({"type": "saw", "teeth": 9}).title == "saw(teeth=9)"


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"arm": "mallet"}, "robot"),
        ({"arm": {"head": "rubber"}}, "robot(arm=hammer(head=rubber))"),
        ({"spares": ["hammer", {"weight": 9}]}, "robot(spares=[hammer, hammer(weight=9)])"),
    ],
)
def test_a_title_shows_nested_choices_by_their_titles(options: dict[str, object], title: str) -> None:
    assert MACHINES.spec({"type": "robot"} | options).title == title


def test_a_nested_choice_is_dumped_with_its_options() -> None:
    dumped = MACHINES.spec({"type": "robot", "arm": {"weight": 9}}).model_dump()
    assert dumped["arm"] == {"weight": 9, "head": "steel", "type": "hammer"}


def test_a_name_or_alias_cannot_be_taken_twice() -> None:
    registry: Registry[int] = Registry("number", "attex.foundations")
    registry.register("one", aliases=("uno",))(lambda: 1)
    for name, aliases in (("one", ()), ("uno", ()), ("two", ("uno",)), ("two", ("one",))):
        with pytest.raises(ValueError, match=r"there is already a number '(one|uno)'"):
            registry.register(name, aliases=aliases)(lambda: 2)
    assert "two" not in registry
    assert [entry.name for entry in registry] == ["one"]


def test_the_same_component_may_be_registered_again() -> None:
    registry: Registry[int] = Registry("number", "attex.foundations")

    def one() -> int:
        return 1

    registry.register("one")(one)
    registry.register("one")(one)
    assert len(list(registry)) == 1


def test_annotations_may_be_strings() -> None:
    registry: Registry[int] = Registry("number", "attex.foundations")

    def stringly(*, size: "Annotated[int, Field(ge=1)]" = 1) -> "int":
        return size

    registry.register("stringly")(stringly)
    assert registry.spec({"type": "stringly", "size": 2}).options() == {"size": 2}
    assert problem(registry, {"type": "stringly", "size": 0}) == "has errors"


def test_a_function_is_bound_to_its_options_and_a_class_is_built() -> None:
    assert TOOLS.bind(TOOLS.spec({"type": "hammer", "weight": 5}))("oak") == "oak 5 steel"
    saw = TOOLS.bind(TOOLS.spec({"type": "saw", "teeth": 9}), "oak")
    assert (saw.wood, saw.teeth) == ("oak", 9)


def test_entries_come_sorted_with_the_first_line_of_their_docstring() -> None:
    assert [(e.name, e.summary, e.cite) for e in TOOLS] == [
        ("hammer", "Drives nails.", "Thor 900"),
        ("saw", "Cuts boards.", ""),
    ]


def test_a_missing_name_is_a_key_error_and_no_attribute() -> None:
    with pytest.raises(KeyError):
        TOOLS["drill"]
    with pytest.raises(AttributeError, match="has no attribute 'drill'"):
        TOOLS.published("drill", "tools")
    assert TOOLS.published("mallet", "tools") is hammer


def test_modules_of_the_package_are_imported_on_first_use_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "a_shed_of_tools"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "drill.py").write_text("'''Imported.'''\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry: Registry[int] = Registry("tool", package.name)
    assert "a_shed_of_tools.drill" not in sys.modules
    assert "drill" not in registry
    assert "a_shed_of_tools.drill" in sys.modules


@pytest.mark.parametrize(
    "value",
    [
        "robot",
        {"type": "robot"},
        {"type": "robot", "arm": "gavel"},
        {"type": "robot", "arm": {"weight": 2}, "spares": [{"type": "saw", "teeth": 3}]},
    ],
)
def test_the_json_schema_accepts_what_the_registry_accepts(value: object) -> None:
    Workshop.model_validate({"machine": value})
    jsonschema.validate({"machine": value}, Workshop.model_json_schema())


@pytest.mark.parametrize(
    "value",
    [
        "robbot",
        7,
        {"type": "robbot"},
        {"type": "robot", "leg": "hammer"},
        {"type": "robot", "arm": {"weight": 0}},
        {"type": "robot", "arm": {"weight": "heavy"}},
        {"type": "robot", "spares": [{"type": "saw"}]},
    ],
)
def test_the_json_schema_refuses_what_the_registry_refuses(value: object) -> None:
    with pytest.raises(ValidationError):
        Workshop.model_validate({"machine": value})
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"machine": value}, Workshop.model_json_schema())


def test_did_you_mean_names_one_near_word_or_none() -> None:
    assert did_you_mean("sofmax", ["softmax", "sparsemax"]) == "; did you mean 'softmax'?"
    assert did_you_mean("qqq", ["softmax", "sparsemax"]) == ""


@pytest.fixture
def shed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of tools whose module `b_wrench` wants a file that is not there yet."""
    package = tmp_path / f"shed_of_{tmp_path.name}"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from attex.foundations.registry import Registry\n"
        f"SHED = Registry('tool', '{package.name}', default='adze')\n"
    )
    for name in ("a_adze", "b_wrench", "c_rasp"):
        (package / f"{name}.py").write_text(
            "from pathlib import Path\n"
            f"from {package.name} import SHED\n"
            f"USUAL = SHED.spec('{name[2:]}') if '{name[2:]}' in SHED else None\n"
            f"SHED.register('{name[2:]}', aliases=('my_{name[2:]}',))(lambda: '{name}')\n"
            + "Path(__file__).with_name('steel').read_text()\n"
            * ("wrench" in name)
        )
    monkeypatch.syspath_prepend(tmp_path)
    return package


def test_a_registry_whose_first_import_failed_is_whole_once_the_fault_is_mended(shed: Path) -> None:
    registry: Registry[str] = importlib.import_module(shed.name).SHED
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            list(registry)
    (shed / "steel").touch()
    assert [entry.name for entry in registry] == ["adze", "rasp", "wrench"]
    assert registry.bind(registry.spec("my_wrench"))() == "b_wrench"


def test_threads_that_ask_at_once_all_see_the_whole_registry(shed: Path) -> None:
    (shed / "steel").touch()
    (shed / "a_adze.py").write_text("import time\ntime.sleep(0.2)\n")
    registry: Registry[str] = importlib.import_module(shed.name).SHED
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: [entry.name for entry in registry], range(4)))
    assert found == [["rasp", "wrench"]] * 4


def test_looking_for_a_near_name_is_quick_whatever_is_compared() -> None:
    assert did_you_mean("x" * 10**6, ["y" * 10**6] * 3) == ""
    assert did_you_mean("label_7", [f"label_{n}" for n in range(10**6)]) == "; did you mean 'label_7'?"
