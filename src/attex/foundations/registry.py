"""One registry for every room: a signature is its own configuration schema.

Positional parameters are what the room supplies; keyword-only parameters are the configuration.
"""

import contextlib
import difflib
import functools
import importlib
import inspect
import itertools
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model, model_validator
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from attex.foundations.errors import brief

T = TypeVar("T")
Target = TypeVar("Target", bound=Callable[..., Any])


_COMPARED = 1_000
_LETTERS = 100


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return the end of an error message: the nearest known name, if one is near.

    Comparing takes long: only so many names of ordinary length are looked at.
    """
    word = str(name)[: _LETTERS + 1]
    ordinary = (other for other in known if len(other) <= _LETTERS)
    few = list(itertools.islice(ordinary, _COMPARED)) if len(word) <= _LETTERS else []
    near = difflib.get_close_matches(word, few, 1)
    return f"; did you mean '{brief(near[0])}'?" if near else ""


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
                        "unknown_key", "unknown key '{key}'{near}", {"key": brief(key), "near": near}
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

    component: ClassVar[Callable[..., Any] | None] = None
    """What is chosen, where the type of the choice was made by a registry."""
    component_version: ClassVar[int] = 1
    """Which of its versions that is: a new one when what it computes of the same options changes."""

    type: str

    def settings(self) -> dict[str, Any]:
        """Add the version, unless it is the first: what was computed before is still found."""
        version = type(self).component_version
        # No option can have a name with a space.
        return super().settings() | ({} if version == 1 else {"component version": version})

    def options(self) -> dict[str, Any]:
        """Return the keyword arguments this choice stands for."""
        return {name: getattr(self, name) for name in type(self).model_fields if name != "type"}

    @functools.cached_property
    def title(self) -> str:
        """The name, with the options that have no default or differ from it."""
        # Worked out once: plans ask for it at every stage, and telling what is usual takes a validation.
        fields, options = type(self).model_fields, self.options()
        required = {name: options[name] for name in options if fields[name].is_required()}
        usual = type(self)(**required, type=self.type).options()
        changed = {
            name: _shown(value)
            for name, value in options.items()
            if not _marked(fields[name], RUNTIME) and (name in required or value != usual[name])
        }
        inside = ", ".join(f"{name}={value}" for name, value in changed.items())
        return f"{self.type}({inside})" if inside else self.type


def _marked(field: Any, mark: object) -> bool:
    return any(entry is mark for entry in field.metadata)


def components(value: Any) -> Iterator[str]:
    """Name the modules of all components that a value chooses, at any depth."""
    if isinstance(value, Spec) and (chosen := type(value).component) is not None:
        yield chosen.__module__
    if isinstance(value, Strict):
        for name in type(value).model_fields:
            yield from components(getattr(value, name))
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from components(item)


def _identity(value: Any) -> Any:
    """Reduce a value, at any depth, to what a cache key needs to know of it."""
    if isinstance(value, Strict):
        return value.settings()
    if isinstance(value, dict):
        return {name: _identity(item) for name, item in value.items()}
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
        self._loaded = self._loading = False
        self._lock = threading.RLock()
        self.choice = _Choice(self)

    def register(
        self,
        name: str,
        *,
        aliases: tuple[str, ...] = (),
        cite: str = "",
        version: int = 1,
        **facts: Any,
    ) -> Callable[[Target], Target]:
        """Register a function or class under `name`; its keyword-only parameters are its options.

        Raise `version` when what it computes of the same options changes: cached results that it has
        made or gone into are then made anew, and no others. `facts` must be among those that the
        registry was made with, which are their defaults.
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
            options = _options(name, target, version)
            self._entries[name] = Entry(name, target, options, aliases, cite, whole)
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
                {"kind": self.kind, "value": brief(repr(value))},
            )
        name = fields.get("type", self.default)
        if name is None:
            raise PydanticCustomError("no_type", "the {kind} has no 'type'", {"kind": self.kind})
        if not isinstance(name, str) or name not in self:
            near = did_you_mean(name, self._names) or f"; known: {', '.join(sorted(self._entries))}"
            raise PydanticCustomError(
                "unknown_name",
                "no {kind} '{name}'{near}",
                {"kind": self.kind, "name": brief(name), "near": near},
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

    def publish(self) -> None:
        """Let `package.name` be the component where a file has the same name; a package ends with this.

        Importing a module makes it an attribute of its package, in the place of the component that
        `__getattr__` would have served. Only the first import does so, and all of them happen here:
        Python runs a package before any module in it.
        """
        package = sys.modules[self.package]
        for entry in self:
            if isinstance(vars(package).get(entry.name), ModuleType):
                setattr(package, entry.name, entry.target)

    def published(self, name: str, module: str) -> Callable[..., T]:
        """Serve `module.name` for a package's `__getattr__`."""
        if not name.startswith("_") and name in self:
            return self[name].target
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    @contextlib.contextmanager
    def importing(self) -> Iterator[None]:
        """Import modules in here: one that fails leaves nothing that it registered behind."""
        before = set(self._entries)
        try:
            yield
        except BaseException:
            # Python forgets a module that failed, and will run it again: its names must be free.
            for name in self._entries.keys() - before:
                if getattr(self._entries[name].target, "__module__", None) not in sys.modules:
                    del self._entries[name]
                    self._names = {word: one for word, one in self._names.items() if one != name}
            raise

    def _load(self) -> None:
        if self._loaded:
            return
        with self._lock:
            # A module of the package may ask for a component while the package is being loaded.
            if self._loaded or self._loading:
                return
            self._loading = True
            try:
                with self.importing():
                    package = importlib.import_module(self.package)
                    for module in pkgutil.iter_modules(package.__path__):
                        importlib.import_module(f"{self.package}.{module.name}")
                self._loaded = True
            finally:
                self._loading = False


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
            _inlined(entry.options.model_json_schema()) | {"description": entry.summary}
            for entry in entries
        ]
        return {"anyOf": [{"type": "string", "enum": names}, *objects]}


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Put definitions where they are referred to: inside another schema no reference would find them."""
    known = schema.pop("$defs", {})

    def put(value: Any) -> Any:
        if isinstance(value, dict) and "$ref" in value:
            return put(known[value["$ref"].removeprefix("#/$defs/")])
        if isinstance(value, dict):
            return {key: put(inner) for key, inner in value.items()}
        return [put(inner) for inner in value] if isinstance(value, list) else value

    whole: dict[str, Any] = put(schema)
    return whole


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return value.title if isinstance(value, Spec) else str(value)


def _options(name: str, target: Callable[..., Any], version: int) -> type[Spec]:
    fields: dict[str, Any] = {
        p.name: (p.annotation, ... if p.default is p.empty else p.default)
        for p in inspect.signature(target, eval_str=True).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    }
    fields["type"] = (Literal[name], name)
    options = create_model(name, __base__=Spec, **fields)
    options.component, options.component_version = target, version
    return options
