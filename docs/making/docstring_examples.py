"""Let mkdocstrings show the examples of docstrings as code: it knows them by the heading `Examples`."""

import re
from typing import Any

import griffe


class OneExample(griffe.Extension):
    """Read `Example:` as the section that may hold several."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rename the heading in the docstring of an object that was loaded."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.M)
