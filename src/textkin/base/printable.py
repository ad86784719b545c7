"""Somebody's text where a person reads it: no character acts on the terminal or on the text around it.

Data, file names and model names may hold escape sequences, which move the cursor or rewrite what was printed,
and overrides of the writing direction, which show a text in another order. Both are shown as escapes.
"""

from __future__ import annotations

import re

_ACTING = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
HARMFUL = re.compile(f"[{_ACTING}]")
"""A character that acts on a terminal, or on the order in which others are shown."""
_BREAKS = re.compile(f"[\t\n{_ACTING}]")


def visible(text: str) -> str:
    r"""The text with control characters and overrides written as ``\x1b`` or ``\u202e``.

    Tabs and line feeds stay.
    """
    return HARMFUL.sub(_escape, text)


def visible_line(text: str) -> str:
    r"""The same on one line: tabs and line feeds are written as ``\t`` and ``\n`` too."""
    return _BREAKS.sub(_escape, text)


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and its end with how much was left out between them."""
    if len(text) <= most:
        return text
    start = most * 3 // 4
    end = len(text) - most // 4
    return f"{text[:start]} [... {end - start:,} characters ...] {text[end:]}"


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
