"""Choices: what a study sets differently from model to model, and what each level of one is called."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attex.config.overrides import set_key
from attex.foundations.errors import UserError, brief
from attex.foundations.registry import did_you_mean

_LEVELS, _WITHIN = "levels", "within"


@dataclass(frozen=True)
class Level:
    """One way to choose: the keys of an experiment that it sets."""

    name: str
    keys: Mapping[str, Any]


@dataclass(frozen=True)
class Choice:
    """Two levels or more, of which every model has one.

    A nested choice exists only where another one, its parent, has one of the levels named `within`.
    """

    name: str
    levels: tuple[Level, ...]
    parent: str | None = None
    within: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the levels are called."""
        return tuple(level.name for level in self.levels)

    def exists(self, chosen: Mapping[str, Level]) -> bool:
        """Say whether there is anything to choose, given what was chosen of the others."""
        return self.parent is None or chosen[self.parent].name in self.within


def read_choices(written: Mapping[str, Any], where: str, fewest: int = 2) -> tuple[Choice, ...]:
    """Read choices as a study file has them, each parent before what is nested in it.

    A choice is a key with its levels, `'trainer.learning_rate': [0.001, 0.003]`; or a name whose levels
    set several keys, `width: {small: {'model.encoder.hidden': 32, …}, large: {…}}`. A nested one has its
    levels under `levels`, and under `within` where it exists: `{vectors: ['glove']}`. Each has `fewest`
    levels or more.
    """
    choices = [_read_choice(name, levels, f"{where}.{name}", fewest) for name, levels in written.items()]
    known = {choice.name: choice for choice in choices}
    for choice in choices:
        if choice.parent is not None:
            _check_nesting(choice, known, f"{where}.{choice.name}.{_WITHIN}")
    return tuple(sorted(choices, key=lambda choice: choice.parent is not None))


def apply(fields: dict[str, Any], choices: Sequence[Choice], levels: Sequence[int]) -> dict[str, Level]:
    """Set the keys of the chosen levels in an experiment; return the levels, by choice, that exist."""
    chosen: dict[str, Level] = {}
    for choice, number in zip(choices, levels, strict=True):
        if choice.exists(chosen):
            chosen[choice.name] = level = choice.levels[number]
            for key, value in level.keys.items():
                set_key(fields, key, value, f"choices.{choice.name}")
    return chosen


def _read_choice(name: str, written: Any, where: str, fewest: int) -> Choice:
    parent: str | None = None
    within: tuple[str, ...] = ()
    if name == "seeds":
        raise UserError(f"{where}: seeds are no choice; they stand beside choices, as in seeds: [0, 1]")
    if isinstance(written, Mapping) and _LEVELS in written:
        unknown = next((key for key in written if key not in (_LEVELS, _WITHIN)), None)
        if unknown is not None:
            near = did_you_mean(unknown, (_LEVELS, _WITHIN))
            raise UserError(f"{where}: no key '{brief(unknown)}' beside 'levels'{near}")
        parent, within = _read_within(written.get(_WITHIN), f"{where}.{_WITHIN}")
        written = written[_LEVELS]
    levels = tuple(_read_levels(name, written, where))
    if len(levels) < fewest:
        least = "one level" if fewest == 1 else "two levels"
        raise UserError(f"{where}: expected {least} or more, not {len(levels)}")
    names = [level.name for level in levels]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise UserError(
            f"{where}: two levels would be called '{brief(twice)}'; give them names, as in "
            f"{{one: {{'{name}': …}}, other: {{'{name}': …}}}}"
        )
    return Choice(name, levels, parent, within)


def _read_levels(name: str, written: Any, where: str) -> Iterator[Level]:
    if isinstance(written, Mapping):
        # Jsonnet has lost the order of an object's keys; that of numbers is known.
        for level, keys in sorted(written.items(), key=lambda item: _size(item[0])):
            if not isinstance(keys, Mapping) or not keys:
                raise UserError(f"{where}.{level}: a level is an object of the keys that it sets")
            yield Level(level, dict(keys))
    elif isinstance(written, list | tuple):
        for value in written:
            yield Level(_called(value), {name: value})
    else:
        raise UserError(f"{where}: levels are a list of values, or an object of named ones")


def _size(name: str) -> float:
    """Return the number that a name is, so that names sort by it; 0 of all others, which keep order."""
    try:
        return float(name)
    except ValueError:
        return 0.0


def _called(value: Any) -> str:
    """Name a level by its value; a component by its type."""
    if isinstance(value, Mapping):
        return str(value.get("type", "object"))
    if isinstance(value, list | tuple):
        return ", ".join(map(_called, value))
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _read_within(written: Any, where: str) -> tuple[str | None, tuple[str, ...]]:
    if written is None:
        return None, ()
    if not isinstance(written, Mapping) or len(written) != 1:
        raise UserError(f"{where}: expected one choice with its levels, as {{vectors: ['glove']}}")
    ((parent, levels),) = written.items()
    if not isinstance(levels, list | tuple) or not levels:
        raise UserError(f"{where}.{parent}: expected a list of levels")
    return parent, tuple(map(_called, levels))


def _check_nesting(choice: Choice, known: Mapping[str, Choice], where: str) -> None:
    parent = known.get(choice.parent or "")
    if parent is None:
        near = did_you_mean(choice.parent, known)
        raise UserError(f"{where}: no choice '{brief(choice.parent)}'{near}")
    if parent.parent is not None:
        raise UserError(
            f"{where}: '{parent.name}' is nested itself; one level of nesting is all there is"
        )
    for name in choice.within:
        if name not in parent.names:
            near = did_you_mean(name, parent.names)
            raise UserError(f"{where}: '{parent.name}' has no level '{brief(name)}'{near}")
