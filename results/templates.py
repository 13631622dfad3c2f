"""Pages are templates, filled from tables: one way of reading them for all."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from results.markdown import number, table

TEMPLATE = "page.md.jinja"


def filled(folder: Path, known: Mapping[str, Any], **given: Any) -> str:
    """Fill the template of a folder; a name that is not known there is an error, and no empty place."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["number"] = number
    environment.globals |= {"table": table, **known}
    return environment.get_template(TEMPLATE).render(**given)
