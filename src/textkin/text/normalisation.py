"""Named normalisation steps, applied before texts are split into words.

Each step is a pure function of a string. A recipe lists the steps in order.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from textkin.base.errors import did_you_mean, wrong_setting

Step = Callable[[str], str]

_NOT_ALNUM = re.compile(r"[^a-z0-9]")


def nfkc(text: str) -> str:
    """Unicode compatibility form: one form for each character, full-width letters made plain."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def strip_accents(text: str) -> str:
    """Letters without their combining marks: ``é`` becomes ``e``."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not unicodedata.combining(part)))


def alnum(text: str) -> str:
    """Replace everything but ``a-z`` and ``0-9`` by spaces; put "lower" before it to keep capitals."""
    return _NOT_ALNUM.sub(" ", text)


def squeeze(text: str) -> str:
    """Collapse runs of whitespace into one space, and strip the ends."""
    return " ".join(text.split())


STEPS: Mapping[str, Step] = MappingProxyType(
    {"nfkc": nfkc, "lower": str.lower, "strip-accents": strip_accents, "alnum": alnum, "squeeze": squeeze}
)


def normaliser(names: Sequence[str]) -> Step:
    """A function that applies the named steps in order.

    Raises:
        UsageError: a name is not in :data:`STEPS`.
    """
    for name in names:
        if name not in STEPS:
            raise wrong_setting("normalise", name, expected="known steps", fix=did_you_mean(name, STEPS))
    steps = [STEPS[name] for name in names]

    def apply(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return apply
