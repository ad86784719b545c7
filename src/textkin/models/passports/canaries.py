"""The texts that a model is known by."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import final

_FILE = Path(__file__).with_name("canaries.json")
_STEP = 7  # from a text to its partner: texts that are much alike stand beside each other, others don't


@final
@dataclass(frozen=True, slots=True)
class Canaries:
    """Texts that tell models apart.

    They differ in length, script, casing, accents, numbers, negation, punctuation and order of words, since
    what is changed in a model shows in some of these only: another limit of tokens in long texts, another
    lower-casing in capitals.

    Attributes:
        version: of the set of texts; vectors of different sets can't be compared.
        texts: all of them different.
    """

    version: int
    texts: tuple[str, ...]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """A pair for each text, for what scores pairs: half are neighbours, half are far apart."""
        count = len(self.texts)
        return [
            (text, self.texts[(place + (1 if place % 2 else _STEP)) % count])
            for place, text in enumerate(self.texts)
        ]


def bundled_canaries() -> Canaries:
    """The canaries in the box.

    Example:
        >>> len(bundled_canaries().texts)
        64
    """
    values = json.loads(_FILE.read_text(encoding="utf-8"))
    return Canaries(values["version"], tuple(values["texts"]))
