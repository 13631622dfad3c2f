"""What a result depends on beside attex: a user's own modules, and others' packages."""

import importlib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attex.foundations.storage import digest_file


def plugin_digests(imports: Sequence[str]) -> dict[str, Any]:
    """Hash the source of the imported modules, as settings for the keys of stages."""
    files = [importlib.import_module(name).__file__ for name in imports]
    return {"plugins": [digest_file(Path(file)) for file in files if file]} if imports else {}


@cache
def version_of(package: str) -> str | None:
    """Return the installed version of a package, None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
