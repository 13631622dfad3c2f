"""Import the modules of a user's own that an experiment names."""

import contextlib
import importlib
import sys
from pathlib import Path
from typing import Any

from attex.config.registries import REGISTRIES
from attex.foundations.errors import UserError, brief


def import_modules(names: Any, origin: str, folder: Path | None) -> None:
    """Import modules that lie beside the experiment's file, where attex was started, or anywhere."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        # The schema says so, and where.
        return
    places = (folder or Path.cwd(), Path.cwd())
    for place in map(str, places) if names else ():
        if place not in sys.path:
            sys.path.insert(0, place)
    for name in names:
        _import(name, places, f"{origin}: imports:")


def _import(name: str, places: tuple[Path, ...], where: str) -> None:
    shown = brief(name)
    if not all(name.split(".")):
        raise UserError(f"{where} '{shown}' is not the name of a module")
    try:
        with contextlib.ExitStack() as stack:
            for registry in REGISTRIES.values():
                stack.enter_context(registry.importing())
            module = importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except SystemExit as error:
        raise UserError(f"{where} '{shown}' ends the program when imported (sys.exit)") from error
    except BaseException as error:
        reason = brief((str(error) or type(error).__name__).splitlines()[0])
        raise UserError(f"{where} cannot import '{shown}': {reason}") from error
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py") or not Path(file).is_file():
        # Results are kept by what they were computed with: a change here would go unnoticed.
        raise UserError(f"{where} '{shown}' has no source file (.py) that results could be traced to")
    path = name.replace(".", "/")
    own = [p for place in places for p in (place / f"{path}.py", place / path / "__init__.py")]
    if any(map(Path.is_file, own)) and Path(file).resolve() not in map(Path.resolve, own):
        # Python has one module of a name: the first that anybody imported.
        raise UserError(f"{where} '{shown}' is the name of another module too, {file}: rename yours")
