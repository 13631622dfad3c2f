"""What can be named in an experiment, read from the source: importing all of it takes seconds.

A registry is declared as `X: Registry[…] = Registry("kind", "package", …)`; a component by the
decorator `@X.register("name", …)` in a module of that package, its arguments written out.
"""

import ast
import importlib.util
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from attex.config import shipped
from attex.foundations.errors import UserError

_SOURCE = Path(__file__).parent

_EXPERIMENT = "experiment"
"""What comes with attex and is run by its name."""

_DECLARED_IN = (
    "data/reader.py",
    "models/architecture.py",
    "models/encoder.py",
    "models/attention.py",
    "models/projection.py",
    "models/decoder.py",
    "training/trainer.py",
    "importance/measure.py",
    "agreement/statistic.py",
    "analyses/analysis.py",
    "runner/engine.py",
    "studies/study.py",
    "studies/conclusion.py",
)
"""The files that declare a registry, in the order in which the kinds are listed."""


_NEEDS = {"layers": "needs layers of self-attention"}
"""What a model must have for a measure, in words."""


@dataclass(frozen=True)
class Listed:
    """A component as its source describes it; `requires` says what brings each thing it needs.

    `needs` and `needs_if` say of a measure what a model must have for it, and with which options.
    """

    name: str
    summary: str
    aliases: tuple[str, ...] = ()
    cite: str = ""
    requires: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""
    needs_if: tuple[str, ...] = ()

    def line(self) -> str:
        """Say it in one line: names, description, citation, and what of its needs is missing here."""
        names = self.name + (f" ({', '.join(self.aliases)})" if self.aliases else "")
        cite = f" [{self.cite}]" if self.cite else ""
        missing = [how for what, how in self.requires.items() if not _is_here(what)]
        options = f"with {' or '.join(self.needs_if)} it " if self.needs_if else ""
        needs = f"; {options}{_NEEDS[self.needs]}" if self.needs else ""
        return f"{names:22} {self.summary}{cite}{needs}" + (
            f"; missing here: {', '.join(missing)}" if missing else ""
        )


def catalogue(kind: str | None = None) -> dict[str, list[str]]:
    """Return a line for every name of every kind, or of one: what components and experiments there are.

    Raises:
        UserError: if there is no such kind; the message names the nearest.
    """
    known = kinds()
    names = [*known, _EXPERIMENT]
    if kind is not None and kind not in names:
        from attex.foundations.registry import did_you_mean

        near = did_you_mean(kind, names) or f"; known: {', '.join(names)}"
        raise UserError(f"no kind '{kind}'{near}")
    lines = {}
    for name in names if kind is None else [kind]:
        if name == _EXPERIMENT:
            lines[name] = [f"{one:34} {shipped.first_line(one)}".rstrip() for one in shipped.names()]
        else:
            lines[name] = [component.line() for component in components(*known[name])]
    return lines


def kinds() -> dict[str, tuple[str, Path]]:
    """Return the name of each kind's registry and the folder of its components, by kind."""
    by_kind = {}
    for file in _DECLARED_IN:
        for node in _tree(_SOURCE / file).body:
            if isinstance(node, ast.AnnAssign) and (made := _call_of(node.value, "Registry")):
                kind, package = (ast.literal_eval(argument) for argument in made.args)
                folder = _SOURCE.joinpath(*package.split(".")[1:])
                by_kind[kind] = ast.unparse(node.target), folder
    return by_kind


def components(registry: str, folder: Path) -> list[Listed]:
    """Return what the modules of a folder register, by name."""
    listed = (one for path in folder.glob("*.py") for one in _registered(_tree(path), registry))
    return sorted(listed, key=lambda one: one.name)


def _registered(tree: ast.Module, registry: str) -> Iterator[Listed]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                if call := _call_of(decorator, f"{registry}.register"):
                    said = {k.arg: k.value for k in call.keywords if k.arg in Listed.__annotations__}
                    facts = {str(name): ast.literal_eval(value) for name, value in said.items()}
                    summary = (ast.get_docstring(node) or "").partition("\n")[0]
                    yield Listed(ast.literal_eval(call.args[0]), summary, **facts)


def _call_of(node: ast.expr | None, function: str) -> ast.Call | None:
    return node if isinstance(node, ast.Call) and ast.unparse(node.func) == function else None


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _is_here(what: str) -> bool:
    """Say whether there is a package or a command of that name."""
    return importlib.util.find_spec(what) is not None or shutil.which(what) is not None
