"""Filters of metadata, such as ``lang = "en" and year >= 2020``, parsed into conditions.

::

    filter     = conjunction {"or" conjunction}
    conjunction = part {"and" part}
    part       = "not" part | "(" filter ")" | name "exists"
               | name ("=" | "!=" | "<" | "<=" | ">" | ">=" | "contains") value
               | name ["not"] "in" "(" value {"," value} ")"
    value      = text in double or single quotes | number | "true" | "false"
    name       = letters, digits, "_", "-", "." | any name between backticks

The type of a value determines the comparison: numbers with numbers (and texts that are written as numbers),
texts with texts (a number of the metadata as it is written). A missing value is neither equal to anything nor
less nor more. So ``!=`` and ``not in`` hold if a name is missing. ``true`` and ``false`` also match these
words as texts, in any case, as tables have them.
"""

from __future__ import annotations

import json
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn

from textkin.base.errors import UsageError, invalid

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<number>[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.-]))
      | (?P<sign><=|>=|!=|=|<|>|\(|\)|,)
      | (?P<quoted>`[^`]+`)
      | (?P<name>\w[\w.-]*)
    )""",
    re.VERBOSE,
)
_WORDS = frozenset({"and", "or", "not", "in", "exists", "contains", "true", "false"})
_COMPARING = {"=": "=", "!=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_DEEPEST = 40
_LONGEST = 10_000
_MOST = 400  # databases limit the depth of expressions
_LARGEST = 2**63 - 1


_EXPONENT = r"(?:[eE][+-]?[0-9]{1,2})?"
_FRACTION = r"\.[0-9]{1,30}"  # longer ones could be too small for a database
NUMBER = rf" *-?(?:(?:0|[1-9][0-9]{{0,14}})(?:{_FRACTION}{_EXPONENT})?|{_FRACTION}) *"
"""A regular expression, for Python and PostgreSQL, of a whole text that is written as a number.

Texts that may be ids don't count as numbers: 007, +49, 1e5, and more than 15 digits without a point, which a
double can't distinguish.
"""

_NUMBER = re.compile(NUMBER)

EXISTS, CONTAINS, NO_NUMBER = "exists", "contains", "is no number"
"""What a condition can ask of a name, besides comparing it: the last is for notes on filters."""

_SIGNS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
)

Value = str | int | float | bool


def number_of(text: object) -> float | None:
    """The number that a text spells; None if it isn't one.

    Example:
        >>> number_of("19.90"), number_of("7"), number_of("007"), number_of("1e5")
        (19.9, 7.0, None, None)
    """
    return float(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else None


class Where(ABC):
    """A condition on an entry's metadata."""

    @abstractmethod
    def holds(self, metadata: Mapping[str, Any]) -> bool:
        """True for metadata that match."""

    @abstractmethod
    def compared(self, *, denied: bool = False) -> Iterator[tuple[Compared, bool]]:
        """The comparisons, each with True if an entry without the name matches."""


@dataclass(frozen=True, slots=True)
class Compared(Where):
    """A condition on the value under one name.

    Attributes:
        name: the name.
        sign: ``=``, ``<``, ``<=``, ``>``, ``>=``, or one of ``EXISTS``, ``CONTAINS``, ``NO_NUMBER``.
        value: what it is compared with; booleans with ``=`` only.
    """

    name: str
    sign: str
    value: Value = ""

    def holds(self, metadata: Mapping[str, Any]) -> bool:
        """See the base class."""
        there, value = metadata.get(self.name), self.value
        number = isinstance(there, int | float) and not isinstance(there, bool)
        match self.sign:
            case "exists":
                return there is not None
            case "contains":
                return there is not None and str(value) in written(there)
            case "is no number":
                return isinstance(there, str) and number_of(there) is None
        if isinstance(value, bool):
            return there is value or (isinstance(there, str) and there.lower() == str(value).lower())
        if isinstance(value, str):
            return (number or isinstance(there, str)) and _SIGNS[self.sign](written(there), value)
        there = there if number else number_of(there)
        return there is not None and _SIGNS[self.sign](there, value)

    def compared(self, *, denied: bool = False) -> Iterator[tuple[Compared, bool]]:
        """See the base class."""
        yield self, denied


@dataclass(frozen=True, slots=True)
class Not(Where):
    """A negated condition."""

    part: Where

    def holds(self, metadata: Mapping[str, Any]) -> bool:
        """See the base class."""
        return not self.part.holds(metadata)

    def compared(self, *, denied: bool = False) -> Iterator[tuple[Compared, bool]]:
        """See the base class."""
        return self.part.compared(denied=not denied)


@dataclass(frozen=True, slots=True)
class Joined(Where):
    """Conditions of which all hold, or any.

    Attributes:
        word: "and" or "or".
        parts: the conditions.
    """

    word: str
    parts: tuple[Where, ...]

    def holds(self, metadata: Mapping[str, Any]) -> bool:
        """See the base class."""
        held = (one.holds(metadata) for one in self.parts)
        return all(held) if self.word == "and" else any(held)

    def compared(self, *, denied: bool = False) -> Iterator[tuple[Compared, bool]]:
        """See the base class."""
        for one in self.parts:
            yield from one.compared(denied=denied)


def written(value: Any) -> str:
    """A metadata value as text: as it is, or as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    place: int


def parse_where(text: str) -> Where:
    """Parse a filter.

    Args:
        text: the user's text.

    Raises:
        UsageError: it can't be parsed; the message names the position.
    """
    if len(text) > _LONGEST:
        raise invalid("where", f"{len(text):,} characters", expected=f"at most {_LONGEST:,}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid("where", text, expected="whole characters: this has half a surrogate pair") from None
    return _Parser(text).whole()


class _Parser:
    """Parses the tokens of a filter, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._cut()
        self._at = 0
        self._depth = 0
        self._comparisons = 0

    def whole(self) -> Where:
        """Parse the whole filter, up to the end of the text."""
        found = self._either()
        if self._next.kind != "end":
            self._refuse("and, or, or the end")
        return found

    def _cut(self) -> list[_Token]:
        tokens, place = [], 0
        end = len(self._text.rstrip())
        while place < end:
            found = _TOKEN.match(self._text, place)
            if found is None:
                place += len(self._text[place:]) - len(self._text[place:].lstrip())
                raise UsageError(
                    f"the filter {self._text!r} can't be read at character {place + 1}, "
                    f"{self._text[place : place + 10]!r}",
                    fix="put texts into quotes and odd names between backticks",
                    params=("where",),
                    value=self._text,
                )
            kind = str(found.lastgroup)
            word, start = found[kind], found.start(kind)
            if kind == "name" and word.lower() in _WORDS:
                kind, word = "word", word.lower()
            tokens.append(_Token(kind, word, start))
            place = found.end()
        return [*tokens, _Token("end", "", end)]

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *texts: str) -> str | None:
        """Take the next token, if it is one of these words or signs."""
        token = self._next
        if token.kind in ("word", "sign") and token.text in texts:
            self._at += 1
            return token.text
        return None

    def _refuse(self, expected: str) -> NoReturn:
        token = self._next
        shown = "its end" if token.kind == "end" else repr(token.text)
        raise UsageError(
            f"the filter {self._text!r} has {shown} at character {token.place + 1}, expected {expected}",
            fix="""write for example: 'lang = "en" and year >= 2020'""",
            params=("where",),
            value=self._text,
            expected=expected,
        )

    def _either(self) -> Where:
        return self._joined("or", self._both)

    def _both(self) -> Where:
        return self._joined("and", self._part)

    def _joined(self, word: str, part: Callable[[], Where]) -> Where:
        parts = [part()]
        while self._take(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _part(self) -> Where:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._refuse(f"at most {_DEEPEST} brackets and negations in each other")
        if self._take("not"):
            found: Where = Not(self._part())
        elif self._take("("):
            found = self._either()
            if not self._take(")"):
                self._refuse("')'")
        else:
            found = self._comparison()
        self._depth -= 1
        return found

    def _comparison(self) -> Where:
        name = self._name()
        if self._take("exists"):
            return Compared(name, EXISTS)
        if self._take("contains"):
            value = self._value()
            if not isinstance(value, str):
                self._at -= 1
                self._refuse("a text in quotes")
            return Compared(name, CONTAINS, value)
        negated = bool(self._take("not"))
        if self._take("in"):
            found = self._among(name)
            return Not(found) if negated else found
        sign = None if negated else self._take(*_COMPARING)
        if sign is None:
            self._refuse("in" if negated else "=, !=, <, <=, >, >=, in, not in, contains or exists")
        compared = self._compared(name, _COMPARING[sign], self._value())
        return Not(compared) if sign == "!=" else compared

    def _name(self) -> str:
        token = self._next
        if token.kind not in ("name", "quoted") or '"' in token.text:
            self._refuse("the name of a column of metadata")
        self._at += 1
        return token.text.strip("`")

    def _among(self, name: str) -> Where:
        if not self._take("("):
            self._refuse("'('")
        parts: list[Where] = [self._compared(name, "=", self._value())]
        while self._take(","):
            parts.append(self._compared(name, "=", self._value()))
        if not self._take(")"):
            self._refuse("',' or ')'")
        return Joined("or", tuple(parts))

    def _value(self) -> Value:
        token = self._next
        if token.kind not in ("text", "number") and token.text not in ("true", "false"):
            self._refuse("a text in quotes, a number, true or false")
        self._at += 1
        if token.kind == "text":
            return re.sub(r"\\(.)", r"\1", token.text[1:-1], flags=re.DOTALL)
        if token.kind == "word":
            return token.text == "true"
        number = float(token.text)
        whole = int(token.text) if re.fullmatch(r"[+-]?\d{1,19}", token.text) else None
        return number if whole is None or abs(whole) > _LARGEST else whole

    def _compared(self, name: str, sign: str, value: Value) -> Where:
        self._comparisons += 1
        if self._comparisons > _MOST:
            self._refuse(f"at most {_MOST} comparisons")
        if isinstance(value, bool) and sign != "=":
            self._at -= 1
            self._refuse("a text in quotes or a number")
        return Compared(name, sign, value)
