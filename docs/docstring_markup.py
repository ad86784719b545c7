"""Griffe extension: docstrings as the site's reader of them expects: "Examples:", and names without roles."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_HEADING = re.compile(r"^( *)Example:$", re.MULTILINE)
_ROLE = re.compile(r":(?:func|class|meth|attr|mod|exc|data):`[~!]?([^`]+)`")


class DocstringMarkup(Extension):
    """Changes docstrings before they are parsed."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change one."""
        if obj.docstring is not None:
            text = _HEADING.sub(r"\1Examples:", obj.docstring.value)
            obj.docstring.value = _ROLE.sub(r"`\1`", text)
