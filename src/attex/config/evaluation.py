"""Evaluate an experiment file: Jsonnet, with its library and external variables, or JSON."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attex.config import shipped
from attex.foundations.errors import UserError, brief
from attex.foundations.json_text import NotJSON, is_unicode, parse_json
from attex.foundations.registry import did_you_mean


def located(path: Path) -> Path:
    """Return a file that is there, or else the experiment of that name that comes with attex."""
    if path.is_file():
        return path
    found = shipped.find(path.as_posix())
    if found is not None:
        return found
    beside = [p.name for p in path.parent.glob("*.json*")] if path.parent.is_dir() else []
    near = did_you_mean(path.name, beside)
    known = path.with_suffix("").as_posix().removeprefix("experiments/")
    if not near and shipped.find(known) is not None:
        near = f"; did you mean '{known}', which comes with attex?"
    raise UserError(f"{path}: no such file{near or did_you_mean(path.as_posix(), shipped.names())}")


def evaluate(path: Path, external: Mapping[str, str] | None = None) -> Any:
    """Evaluate a `.json` file with Python alone, anything else as Jsonnet."""
    try:
        # Some editors begin a file with a byte-order mark.
        text = (
            path.read_text(encoding="utf-8-sig") if path.suffix == ".json" else _jsonnet(path, external)
        )
        return parse_json(text)
    except NotJSON as error:
        if path.suffix == ".json" and '"dataset_reader"' in text:
            # AllenNLP takes JSON for Jsonnet, with comments and all.
            return parse_json(_jsonnet(path, external))
        place = "".join(f":{number}" for number in error.place or ())
        raise UserError(f"{path}{place}: {error}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason})") from None


def _jsonnet(path: Path, external: Mapping[str, str] | None) -> str:
    try:
        import _jsonnet
    except ImportError:
        raise UserError(
            f"{path}: Jsonnet needs the package `jsonnet`; a .json file goes without"
        ) from None
    try:
        text: str = _jsonnet.evaluate_file(
            str(path), jpathdir=shipped.library(), ext_vars=_variables(external or {})
        )
        return text
    except UnicodeEncodeError:
        raise UserError(f"{path}: Jsonnet cannot open a file whose name is not UTF-8") from None
    except RuntimeError as error:
        raise UserError(_jsonnet_problem(path, str(error))) from None


def _variables(external: Mapping[str, str]) -> dict[str, str]:
    """Return what `std.extVar` finds: as for AllenNLP the environment, and what was given."""
    every = {"PWD": os.getcwd()} | dict(os.environ) | dict(external)
    return {name: value for name, value in every.items() if is_unicode(name) and is_unicode(value)}


def _jsonnet_problem(path: Path, message: str) -> str:
    """Bring Jsonnet's message, and the first place in a file that it names, onto one line."""
    lines = [line.strip() for line in message.strip().splitlines()]
    what = brief(re.sub(r"^(STATIC|RUNTIME) ERROR: ", "", lines[0]), 400)
    if (missing := re.match(r"undefined external variable: (.+)", what, re.I)) is not None:
        name = missing[1]
        what = f"no external variable '{name}': give it with --ext {name}=VALUE, or in the environment"
    if re.match(r"\S+:[(\d]", what) or len(lines) == 1:
        return what
    place = re.split(r"\s", lines[1])[0]
    return f"{place}: {what}" if re.search(r":[(\d]", place) else f"{path}: {what}"
