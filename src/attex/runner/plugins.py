"""A user's own modules are part of what a result depends on."""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attex.foundations.storage import digest_file


def plugin_digests(imports: Sequence[str]) -> dict[str, Any]:
    """Hash the source of the imported modules, as settings for the keys of stages."""
    files = [importlib.import_module(name).__file__ for name in imports]
    return {"plugins": [digest_file(Path(file)) for file in files if file]} if imports else {}
