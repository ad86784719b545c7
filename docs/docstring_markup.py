"""Griffe extension: docstrings as the site's reader of them expects.

The section is called "Examples:", names have no roles, and a verb's arguments are described by the help of
its options, which its docstring has only when the program runs.
"""

from __future__ import annotations

import re
from importlib import import_module
from inspect import getdoc
from typing import Any

from griffe import Extension, Function, Object

_HEADING = re.compile(r"^( *)Example:$", re.MULTILINE)
_ROLE = re.compile(r":(?:func|class|meth|attr|mod|exc|data):`[~!]?([^`]+)`")


class DocstringMarkup(Extension):
    """Changes docstrings before they are parsed."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change one."""
        if obj.docstring is not None:
            if isinstance(obj, Function) and any(str(one.value) == "verb" for one in obj.decorators):
                verb = getattr(import_module(obj.module.path), obj.name)
                obj.docstring.value = getdoc(verb) or ""
            text = _HEADING.sub(r"\1Examples:", obj.docstring.value)
            obj.docstring.value = _ROLE.sub(r"`\1`", text)
