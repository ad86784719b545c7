"""Safe display of foreign text: no character affects the terminal or the surrounding text.

Data, file names and model names may contain escape sequences, which move the cursor or rewrite output, and
direction overrides, which show a text in another order. Both are shown as escapes.
"""

import re

_ACTING = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
HARMFUL = re.compile(f"[{_ACTING}]")
"""A character that affects a terminal, or the order of other characters."""
_BREAKS = re.compile(f"[\t\n{_ACTING}]")


def visible(text: str) -> str:
    r"""The text with control characters and overrides written as ``\x1b`` or ``\u202e``.

    Tabs and line feeds stay.
    """
    return HARMFUL.sub(_escape, text)


def visible_line(text: str) -> str:
    r"""The text on one line: tabs and line feeds are also written as ``\t`` and ``\n``."""
    return _BREAKS.sub(_escape, text)


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and end with the number of characters omitted between them."""
    if len(text) <= most:
        return text
    start = most * 3 // 4
    end = len(text) - most // 4
    return f"{text[:start]} [... {end - start:,} characters ...] {text[end:]}"


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
