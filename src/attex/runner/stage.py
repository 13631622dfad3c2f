"""A stage: files in, files out, and a key that says when it must run again."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from attex.foundations.registry import Strict, components
from attex.foundations.storage import digest

if TYPE_CHECKING:
    from attex.runner.workspace import Workspace


@dataclass(frozen=True)
class Made:
    """A stage that somebody else makes: all that is known of it is where it lies in the cache."""

    kind: str
    key: str


@dataclass(frozen=True)
class Stage(ABC):
    """A pure step of an experiment; a record of plain values, so that it can travel as JSON.

    `settings` is all that `make` needs to know, `identity` what of it changes the result. The key
    hashes (kind, version, identity, keys of the inputs): raise `version` when the code of a stage
    changes what it writes. `modules` are those whose code made the result; a change of theirs is told.
    """

    kind: ClassVar[str]
    version: ClassVar[int]
    named_by: ClassVar[tuple[str, ...]] = ()
    """The settings whose components a user may call it by, as `importance=gradient`."""

    title: str
    settings: Mapping[str, Any]
    identity: Mapping[str, Any]
    inputs: Mapping[str, "Stage | Made"]
    modules: tuple[str, ...]
    key: str = field(init=False)

    def __post_init__(self) -> None:
        keys = {name: needed.key for name, needed in self.inputs.items()}
        known = digest([self.kind, self.version, self.identity, keys])
        object.__setattr__(self, "key", known)

    @classmethod
    def planned(
        cls,
        title: str,
        settings: Mapping[str, Any],
        inputs: Mapping[str, "Stage | Made"] | None = None,
        unkeyed: Mapping[str, Any] | None = None,
    ) -> Self:
        """Make a stage of settings that may be chosen components; `unkeyed` ones change no result."""
        chosen = dict(settings)
        modules = {cls.__module__} | {m for value in chosen.values() for m in components(value)}
        return cls(
            title,
            {name: _plain(value) for name, value in (chosen | dict(unkeyed or {})).items()},
            {name: _identity(value) for name, value in chosen.items()},
            dict(inputs or {}),
            tuple(sorted(modules)),
        )

    @abstractmethod
    def make(self, folder: Path, inputs: Mapping[str, Path], workspace: "Workspace") -> None:
        """Fill a folder, given the folders of the inputs by name.

        What it left there before a kill is still there when it is called again.
        """

    def and_before(self, known: set[str] | None = None) -> Iterator["Stage"]:
        """Yield what this stage needs, at any depth and each before its users, then the stage.

        Each comes once, and none whose key is `known`; the keys of all are added there.
        """
        known = set() if known is None else known
        if self.key not in known:
            known.add(self.key)
            for needed in self.inputs.values():
                if isinstance(needed, Stage):
                    yield from needed.and_before(known)
            yield self

    def component_names(self) -> set[str]:
        """Name the components that a user may call it by, at any depth."""
        return set(_types([self.settings[name] for name in self.named_by]))

    def to_json(self) -> dict[str, Any]:
        """Say all of it in plain JSON, the inputs by kind and key."""
        return {
            "kind": self.kind,
            "title": self.title,
            "settings": self.settings,
            "identity": self.identity,
            "inputs": {name: [needed.kind, needed.key] for name, needed in self.inputs.items()},
            "modules": list(self.modules),
        }

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> "Stage":
        """Read what `to_json` said."""
        from attex.runner.stages import KINDS

        return KINDS[fields["kind"]](
            fields["title"],
            fields["settings"],
            fields["identity"],
            {name: Made(kind, key) for name, (kind, key) in fields["inputs"].items()},
            tuple(fields["modules"]),
        )


def _plain(value: Any) -> Any:
    return _reduced(value, lambda chosen: chosen.model_dump(mode="json"))


def _identity(value: Any) -> Any:
    return _reduced(value, Strict.settings)


def _reduced(value: Any, reduce: Callable[[Strict], Any]) -> Any:
    """Put plain values in the place of chosen components, in lists and by name too."""
    if isinstance(value, Strict):
        return reduce(value)
    if isinstance(value, Mapping):
        return {name: _reduced(item, reduce) for name, item in value.items()}
    return [_reduced(item, reduce) for item in value] if isinstance(value, list | tuple) else value


def _types(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(name := value.get("type"), str):
            yield name
        value = value.values()
    elif not isinstance(value, list | tuple):
        return
    for item in value:
        yield from _types(item)
