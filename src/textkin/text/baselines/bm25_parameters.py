"""The parameters and variants of BM25, and names that hold them: ``bm25(k1=0.9,b=0.4)``."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.arrays import Floats, Ints
from textkin.base.errors import UsageError, invalid, unknown_choice

Variant = Literal["lucene", "robertson", "atire", "plus", "l"]
_DELTA = {"plus": 1.0, "l": 0.5}
_NAMED = re.compile(r"((?:support:|sentence-)?bm25(?::\w+)?)\((.*)\)")


class Saturation(NamedTuple):
    """The fraction of its weight that a word contributes to a document, as compiled loops compute it.

    With ``norm = flat + slope * length``, it is ``lift + (1 - lift) * (count + lower * norm) / (count + (k1 +
    lower) * norm)``.

    Attributes:
        k1: saturation of term frequency.
        lower: what is added to a normalised frequency, as BM25L does.
        lift: the fraction that any occurrence contributes, as in BM25+.
        flat: the length norm of an empty document.
        slope: increase of the norm with each word.
    """

    k1: float
    lower: float
    lift: float
    flat: float
    slope: float

    def of(self, counts: Floats | Ints, lengths: Floats | Ints | int) -> Floats:
        """The fractions of words by their numbers of occurrences, which may be 0. Shape of ``counts``."""
        norm = self.flat + self.slope * lengths
        saturated = (counts + self.lower * norm) / np.maximum(counts + (self.k1 + self.lower) * norm, 1e-300)
        return np.where(counts > 0, self.lift + (1 - self.lift) * saturated, 0.0)


@dataclass(frozen=True, slots=True)
class Bm25Parameters:
    """Parameters of BM25.

    The variants are those of Kamphuis et al. 2020, "Which BM25 do you mean?": ``lucene`` (with exact
    lengths), ``robertson`` (Robertson and Zaragoza 2009; a word in more than half of the texts counts 0
    rather than less), ``atire``, ``plus`` (BM25+, Lv and Zhai 2011, "Lower-bounding term frequency
    normalization") and ``l`` (BM25L, Lv and Zhai 2011, "When documents are very long, BM25 fails!"). In all,
    words of the query that a text lacks add nothing.

    Attributes:
        k1: saturation of term frequency.
        b: strength of the length normalisation.
        variant: the formula.
        delta: lower bound of ``plus`` (1 if None) and ``l`` (0.5 if None).

    Raises:
        UsageError: a parameter is out of range, or the variant is unknown or has no such parameter.
    """

    k1: float = 1.5
    b: float = 0.75
    variant: Variant = "lucene"
    delta: float | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("k1", "delta"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise invalid(name, value, expected="a finite number of 0 or more")
        if not 0 <= self.b <= 1:
            raise invalid("b", self.b, expected="a number from 0 to 1")
        if self.delta is not None and self.variant not in _DELTA:
            raise invalid("delta", self.delta, expected=f"left out: {self.variant} has none")

    @classmethod
    def in_name(cls, name: str) -> tuple[str, Self]:
        """A system's name without BM25's parameters, and these.

        Raises:
            UsageError: a parameter is unknown or wrong.

        Example:
            >>> Bm25Parameters.in_name("bm25:english(k1=0.9)")
            ('bm25:english', Bm25Parameters(k1=0.9, b=0.75, variant='lucene', delta=None))
        """
        found = _NAMED.fullmatch(name)
        if found is None:
            return name, cls()
        values: dict[str, Any] = {}
        for part in filter(None, map(str.strip, found[2].split(","))):
            key, _, value = map(str.strip, part.partition("="))
            if key in values:
                raise invalid("models", name, expected=f"{key} once")
            values[key] = value if key == "variant" else _number(key, value, name)
        try:
            return found[1], cls(**values)
        except UsageError as error:  # the option is the system, of which this is a part
            expected = f"{error.params[0]} to be {error.expected}"
            raise invalid("models", name, expected=expected, fix=error.fix) from error

    @classmethod
    def parsed(cls, text: str | None) -> Self:
        """The parameters in a text such as "k1=0.9,b=0.4"; the defaults for None.

        Raises:
            UsageError: a parameter is unknown or wrong.
        """
        if text is None:
            return cls()
        try:
            return cls.in_name(f"bm25({text})")[1]
        except UsageError as error:
            raise invalid("bm25", text, expected=str(error.expected), fix=error.fix) from error

    @property
    def suffix(self) -> str:
        """The parameters in parentheses, as after a name; "" for the defaults.

        Example:
            >>> Bm25Parameters(b=0.4, k1=0.9, variant="plus").suffix
            '(k1=0.9,b=0.4,variant=plus)'
        """
        given = [
            f"{one.name}={value if isinstance(value, str) else format(value, 'g')}"
            for one in fields(self)
            if (value := getattr(self, one.name)) != one.default
        ]
        return f"({','.join(given)})" if given else ""

    def to_dict(self) -> Mapping[str, Any]:
        """All that scores depend on."""
        return {"k1": self.k1, "b": self.b, "variant": self.variant, "delta": self._delta}

    def weights(self, texts: int, holders: Ints) -> Floats:
        """The highest contribution of each word, from the number of texts that contain it. Shape [words]."""
        df: Floats = np.maximum(holders, 1).astype(np.float64)  # what no text contains is never weighed
        match self.variant:
            case "lucene":
                idf = np.log1p((texts - holders + 0.5) / (holders + 0.5))
            case "robertson":
                idf = np.log(np.maximum((texts - df + 0.5) / (df + 0.5), 1))
            case "atire":
                idf = np.log(texts / df)
            case "plus":
                idf = np.log((texts + 1) / df)
            case "l":
                idf = np.log((texts + 1) / (df + 0.5))
        highest = {"atire": self.k1 + 1, "plus": self.k1 + 1 + self._delta, "l": self.k1 + 1}
        return np.asarray(idf * highest.get(self.variant, 1.0), dtype=np.float64)

    def saturation(self, mean_length: float) -> Saturation:
        """The saturation among texts of this mean length."""
        lift = self._delta / (self.k1 + 1 + self._delta) if self.variant == "plus" else 0.0
        lower = self._delta if self.variant == "l" else 0.0
        return Saturation(self.k1, lower, lift, 1 - self.b, self.b / mean_length)

    @property
    def _delta(self) -> float:
        return _DELTA.get(self.variant, 0.0) if self.delta is None else self.delta


BM25 = Bm25Parameters()
"""The default parameters."""


def _number(key: str, value: str, name: str) -> float:
    if key not in {one.name for one in fields(Bm25Parameters)}:
        known = [one.name for one in fields(Bm25Parameters)]
        wrong = unknown_choice("models", key, known)
        raise invalid("models", name, expected=f"parameters {wrong.expected}", fix=wrong.fix)
    try:
        return float(value)
    except ValueError:
        raise invalid("models", name, expected=f"{key} to be a number") from None
