"""Unique file names for titles and ids, which may contain anything."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from hashlib import sha256

from textkin.data.readers.datasets.squad_parts import ContextPart, QuestionPart

_FORBIDDEN = frozenset('/\\:*?"<>|')
_LONGEST = 200  # bytes, of 255; a paragraph's number, an ending and those of temporary files follow


def safe_names(names: Sequence[str]) -> list[str]:
    """Unique names that every file system accepts; safe names stay unchanged.

    Characters that some system disallows are percent-encoded, ``%2F``. Names that would then be equal, or
    differ only in case or in the form of their accents, get ``%-2``, ``%-3`` and so on, in order. A long name
    is truncated, with a hash at its end.
    """
    taken: set[str] = set()
    found = []
    for name in names:
        plain = _cut("".join(_escaped(character) for character in name))
        if plain.startswith("."):
            plain = "%2E" + plain[1:]
        free, number = plain, 1
        while (key := _folded(free)) in taken:
            number += 1
            free = f"{plain}%-{number}"
        taken.add(key)
        found.append(free)
    return found


def paragraph_names(part: ContextPart) -> list[list[str]]:
    """``TITLE_NUMBER`` for each paragraph of each article, numbers from 0."""
    titles = safe_names(part.titles)
    return [
        [f"{title}_{number}" for number in range(len(paragraphs))]
        for title, paragraphs in zip(titles, part.paragraphs, strict=True)
    ]


def asked_paragraph_names(part: QuestionPart) -> list[str]:
    """The same for the paragraph of each question."""
    titles = safe_names(part.titles)
    return [f"{titles[each.article]}_{each.paragraph}" for each in part.questions]


def raw_paragraph_names(part: QuestionPart) -> list[str]:
    """The names that another program may have used: unescaped titles."""
    return [f"{part.titles[each.article]}_{each.paragraph}" for each in part.questions]


def _escaped(character: str) -> str:
    if character in _FORBIDDEN or not (character.isprintable() or character == " "):
        return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
    return character


def _cut(name: str) -> str:
    content = name.encode("utf-8", "surrogatepass")
    if len(content) <= _LONGEST:
        return name
    start = content[: _LONGEST - 18].decode("utf-8", "ignore")
    return f"{start}%-{sha256(content).hexdigest()[:16]}"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
