"""File names made of titles and ids, which may hold anything; no two of them are the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from hashlib import sha256

from textkin.data.readers.datasets.squad_parts import ContextPart, QuestionPart

_FORBIDDEN = frozenset('/\\:*?"<>|')
_LONGEST = 200  # bytes, of 255; a paragraph's number, an ending and those of temporary files follow


def safe_names(names: Sequence[str]) -> list[str]:
    """A name for each that every file system takes; what is safe already stays as it is.

    Characters that some system forbids are written as in web addresses, ``%2F``. Names that are the same
    then, or differ in case or in the form of their accents alone, get ``%-2``, ``%-3`` and so on, by their
    order. A long name is cut, with a hash at its end.
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
    """As another program may have written them: the titles as they are."""
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
