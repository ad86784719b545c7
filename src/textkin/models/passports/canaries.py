"""Canaries: the texts that identify a model."""

import json
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).with_name("canaries.json")
_STEP = 7  # distance from a text to its partner: similar texts are adjacent, others aren't


@dataclass(frozen=True, slots=True)
class Canaries:
    """Texts that distinguish models.

    They differ in length, script, casing, accents, numbers, negation, punctuation and word order, since a
    change in a model affects only some of these: a different token limit affects long texts, a different
    lower-casing affects capitals.

    Attributes:
        version: the version of the text set; vectors of different sets can't be compared.
        texts: the texts, all distinct.
    """

    version: int
    texts: tuple[str, ...]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """A pair for each text, for scorers of pairs: half are neighbours, half are far apart."""
        count = len(self.texts)
        return [
            (text, self.texts[(place + (1 if place % 2 else _STEP)) % count])
            for place, text in enumerate(self.texts)
        ]


def bundled_canaries() -> Canaries:
    """The built-in canaries.

    Example:
        >>> len(bundled_canaries().texts)
        64
    """
    values = json.loads(_FILE.read_text(encoding="utf-8"))
    return Canaries(values["version"], tuple(values["texts"]))
