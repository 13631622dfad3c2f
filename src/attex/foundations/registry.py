"""One registry for every room: a signature is its own configuration schema.

Positional parameters are what the room supplies; keyword-only parameters are the configuration.
"""

import difflib
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model, model_validator
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

T = TypeVar("T")
Target = TypeVar("Target", bound=Callable[..., Any])


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return the end of an error message: the nearest known name, if one is near."""
    near = difflib.get_close_matches(str(name), list(known), 1)
    return f"; did you mean '{near[0]}'?" if near else ""


LATER = object()
"""Marks an option that joined a component later: `Annotated[…, LATER]`.

At its default it is no part of a cache key, so that what was computed before is still found.
"""

RUNTIME = object()
"""Marks an option that changes no result, as a budget of memory: no part of any key or title."""


class Strict(BaseModel):
    """A frozen record that refuses keys it does not know and names the nearest one it does."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, value: Any) -> Any:
        if isinstance(value, dict):
            for key in value:
                if key not in cls.model_fields:
                    known = sorted(set(cls.model_fields) - {"type"})
                    near = did_you_mean(key, known) or f"; known: {', '.join(known) or 'none'}"
                    raise PydanticCustomError(
                        "unknown_key", "unknown key '{key}'{near}", {"key": key, "near": near}
                    )
        return value

    def settings(self) -> dict[str, Any]:
        """Return what a cache key needs to know of this record, and of those inside it."""
        known = {}
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            at_default = _marked(field, LATER) and value == field.get_default()
            if not at_default and not _marked(field, RUNTIME):
                known[name] = _identity(value)
        return known


class Spec(Strict):
    """A chosen component: its registered name under `type`, and its options."""

    type: str

    def options(self) -> dict[str, Any]:
        """Return the keyword arguments this choice stands for."""
        return {name: getattr(self, name) for name in type(self).model_fields if name != "type"}

    @property
    def title(self) -> str:
        """The name, with the options that have no default or differ from it."""
        usual = type(self).model_fields
        changed = {
            name: _shown(value)
            for name, value in self.options().items()
            if not _marked(usual[name], RUNTIME)
            and (usual[name].is_required() or value != self._default(name))
        }
        inside = ", ".join(f"{name}={value}" for name, value in changed.items())
        return f"{self.type}({inside})" if inside else self.type

    def _default(self, name: str) -> Any:
        required = {n: getattr(self, n) for n, f in type(self).model_fields.items() if f.is_required()}
        return getattr(type(self)(**(required | {"type": self.type})), name)


def _marked(field: Any, mark: object) -> bool:
    return any(found is mark for found in field.metadata)


def _identity(value: Any) -> Any:
    """Reduce a value, at any depth, to what a cache key needs to know of it."""
    if isinstance(value, Strict):
        return value.settings()
    return [_identity(item) for item in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class Entry(Generic[T]):
    """A registered component."""

    name: str
    target: Callable[..., T]
    options: type[Spec]
    aliases: tuple[str, ...]
    cite: str
    facts: Mapping[str, Any]
    """What its kind wants to know of a component without calling it, as whether scores are signed."""

    @property
    def summary(self) -> str:
        """The first line of the component's docstring."""
        return (inspect.getdoc(self.target) or "").partition("\n")[0]


class Registry(Generic[T]):
    """The components of one kind by name; the modules of `package` are imported on first use.

    `default` is what an object without a `type` means, so that one option can be set alone; `facts`
    are what is known of an entry that does not say otherwise.
    """

    def __init__(self, kind: str, package: str, default: str | None = None, **facts: Any) -> None:
        self.kind = kind
        self.package = package
        self.default = default
        self._facts = facts
        self._entries: dict[str, Entry[T]] = {}
        self._names: dict[str, str] = {}
        self._loaded = False
        self.choice = _Choice(self)

    def register(
        self, name: str, *, aliases: tuple[str, ...] = (), cite: str = "", **facts: Any
    ) -> Callable[[Target], Target]:
        """Register a function or class under `name`; its keyword-only parameters are its options.

        `facts` must be among those that the registry was made with, which are their defaults.
        """
        unknown = sorted(set(facts) - set(self._facts))
        if unknown:
            known = ", ".join(self._facts) or "none"
            raise ValueError(f"a {self.kind} has no fact '{unknown[0]}'; known: {known}")

        def add(target: Target) -> Target:
            for word in (name, *aliases):
                taken = self._names.get(word)
                if taken is not None and self._entries[taken].target is not target:
                    raise ValueError(f"there is already a {self.kind} '{word}'")
            self._names |= dict.fromkeys((name, *aliases), name)
            whole = self._facts | facts
            self._entries[name] = Entry(name, target, _options(name, target), aliases, cite, whole)
            return target

        return add

    def __iter__(self) -> Iterator[Entry[T]]:
        self._load()
        return iter(sorted(self._entries.values(), key=lambda entry: entry.name))

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._names

    def __getitem__(self, name: str) -> Entry[T]:
        self._load()
        if name not in self._names:
            raise KeyError(name)
        return self._entries[self._names[name]]

    def spec(self, value: Any) -> Spec:
        """Turn a name, a `{type: …}` object or a finished spec into a validated spec."""
        if isinstance(value, Spec):
            return value
        fields = {"type": value} if isinstance(value, str) else value
        if not isinstance(fields, dict):
            raise PydanticCustomError(
                "not_a_choice",
                "expected the name of a {kind} or an object with its 'type', not {value}",
                {"kind": self.kind, "value": repr(value)},
            )
        name = fields.get("type", self.default)
        if name is None:
            raise PydanticCustomError("no_type", "the {kind} has no 'type'", {"kind": self.kind})
        if not isinstance(name, str) or name not in self:
            near = did_you_mean(name, self._names) or f"; known: {', '.join(sorted(self._entries))}"
            raise PydanticCustomError(
                "unknown_name",
                "no {kind} '{name}'{near}",
                {"kind": self.kind, "name": str(name), "near": near},
            )
        entry = self[name]
        try:
            return entry.options.model_validate(fields | {"type": entry.name})
        except ValidationError as error:
            # Pydantic keeps no path through a validator that calls another: carry it along.
            nested = {"nested": error.errors(include_url=False, include_input=False)}
            raise PydanticCustomError("nested", "has errors", nested) from None

    def bind(self, spec: Spec, *supplied: Any) -> Any:
        """Build a class from what the room supplies, or give a function its options."""
        target = self[spec.type].target
        if inspect.isclass(target):
            return target(*supplied, **spec.options())
        return functools.partial(target, *supplied, **spec.options())

    def published(self, name: str, module: str) -> Callable[..., T]:
        """Serve `module.name` for a package's `__getattr__`."""
        if not name.startswith("_") and name in self:
            return self[name].target
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    def _load(self) -> None:
        if not self._loaded:
            self._loaded = True
            package = importlib.import_module(self.package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self.package}.{module.name}")


class _Choice:
    """The annotation of an option that is itself a component: `Annotated[Spec, X.choice]`."""

    def __init__(self, registry: Registry[Any]) -> None:
        self._registry = registry

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        # Options are dumped by their own type, not as the bare Spec, or they would vanish
        # from the resolved configuration and from the cache keys.
        dump = core_schema.plain_serializer_function_ser_schema(lambda spec: spec.model_dump())
        return core_schema.no_info_plain_validator_function(self._registry.spec, serialization=dump)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        entries = list(self._registry)
        names = sorted(word for entry in entries for word in (entry.name, *entry.aliases))
        objects = [
            entry.options.model_json_schema() | {"description": entry.summary} for entry in entries
        ]
        return {"anyOf": [{"type": "string", "enum": names}, *objects]}


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return value.title if isinstance(value, Spec) else str(value)


def _options(name: str, target: Callable[..., Any]) -> type[Spec]:
    fields: dict[str, Any] = {
        p.name: (p.annotation, ... if p.default is p.empty else p.default)
        for p in inspect.signature(target, eval_str=True).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    }
    fields["type"] = (Literal[name], name)
    return create_model(name, __base__=Spec, **fields)
