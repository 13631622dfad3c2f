"""The scripts and styles that a page carries: small ES modules of `web/`, put into one."""

import functools
import re
from pathlib import Path

_WEB = Path(__file__).parent / "web"
_IMPORT = re.compile(r'^import \{ (.*?) \} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


@functools.cache
def script(*names: str) -> str:
    """Return modules, after those that they import, as one script; each keeps its names to itself.

    What the named ones export can be used in what follows them, as `explorer.startExplorer`.
    """
    order: dict[str, str] = {}
    for name in names:
        _gather(name, order)
    return "\n".join(order.values())


@functools.cache
def style(*names: str) -> str:
    """Return stylesheets, one after the other."""
    return "\n".join((_WEB / f"{name}.css").read_text(encoding="utf-8") for name in names)


def _gather(name: str, order: dict[str, str]) -> None:
    if name in order:
        return
    code = (_WEB / f"{name}.js").read_text(encoding="utf-8")
    for _, needed in _IMPORT.findall(code):
        _gather(needed, order)
    body = _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = {found[2]};\n", code)
    exported = ", ".join(_EXPORT.findall(body))
    body = _EXPORT.sub("", body)
    order[name] = f"const {name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"
