"""Filters of metadata, such as ``lang = "en" and year >= 2020``, parsed into SQL parameters.

::

    filter     = conjunction {"or" conjunction}
    conjunction = part {"and" part}
    part       = "not" part | "(" filter ")" | name "exists"
               | name ("=" | "!=" | "<" | "<=" | ">" | ">=" | "contains") value
               | name ["not"] "in" "(" value {"," value} ")"
    value      = text in double or single quotes | number | "true" | "false"
    name       = letters, digits, "_", "-", "." | any name between backticks

User input is never part of a statement: names and values are parameters. The type of a value determines the
comparison: numbers with numbers (and texts that are written as numbers), texts with texts (a number of the
metadata as it is written). A missing value is neither equal to anything nor less nor more. So ``!=`` and
``not in`` hold if a name is missing. ``true`` and ``false`` also match these words as texts, in any case, as
tables have them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from textkin.base.errors import UsageError, invalid
from textkin.base.printable import shortened, visible_line
from textkin.collection.store.database import Database
from textkin.collection.store.filter_sql import FilterSql, Value

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


@dataclass(frozen=True, slots=True)
class Where:
    """A filter as SQL, and the values of its question marks.

    Attributes:
        sql: a condition on the column ``metadata``.
        values: the parameters.
        asserted: the compared names where an entry without the name doesn't match.
        denied: the compared names where it does.
        numeric: the names compared with a number.
    """

    sql: str
    values: tuple[Value, ...]
    asserted: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()

    @property
    def negation(self) -> Where:
        """The negated filter."""
        return Where(f"(NOT {self.sql})", self.values, self.denied, self.asserted, self.numeric)

    @classmethod
    def joined(cls, word: str, parts: Sequence[Where]) -> Where:
        """Parts joined with ``and`` or ``or``."""
        return cls(
            f"({f' {word.upper()} '.join(one.sql for one in parts)})",
            tuple(value for one in parts for value in one.values),
            frozenset().union(*(one.asserted for one in parts)),
            frozenset().union(*(one.denied for one in parts)),
            frozenset().union(*(one.numeric for one in parts)),
        )


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    place: int


def parse_where(text: str, filters: FilterSql) -> Where:
    """Parse a filter.

    Args:
        text: the user's text.
        filters: the database's comparisons.

    Raises:
        UsageError: it can't be parsed; the message names the position.
    """
    if len(text) > _LONGEST:
        raise invalid("where", f"{len(text):,} characters", expected=f"at most {_LONGEST:,}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid("where", text, expected="whole characters: this has half a surrogate pair") from None
    return _Parser(text, filters).whole()


class _Parser:
    """Parses the tokens of a filter, from left to right."""

    def __init__(self, text: str, filters: FilterSql) -> None:
        self._text = text
        self._filters = filters
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
        return parts[0] if len(parts) == 1 else Where.joined(word, parts)

    def _part(self) -> Where:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._refuse(f"at most {_DEEPEST} brackets and negations in each other")
        if self._take("not"):
            found = self._part().negation
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
            return Where(*self._filters.exists(name))
        if self._take("contains"):
            value = self._value()
            if not isinstance(value, str):
                self._at -= 1
                self._refuse("a text in quotes")
            return Where(*self._filters.contains(name, value), frozenset({name}))
        negated = bool(self._take("not"))
        if self._take("in"):
            found = self._among(name)
            return found.negation if negated else found
        sign = None if negated else self._take(*_COMPARING)
        if sign is None:
            self._refuse("in" if negated else "=, !=, <, <=, >, >=, in, not in, contains or exists")
        found = self._compared(name, _COMPARING[sign], self._value())
        return found.negation if sign == "!=" else found

    def _name(self) -> str:
        token = self._next
        if token.kind not in ("name", "quoted") or '"' in token.text:
            self._refuse("the name of a column of metadata")
        self._at += 1
        return token.text.strip("`")

    def _among(self, name: str) -> Where:
        if not self._take("("):
            self._refuse("'('")
        parts = [self._compared(name, "=", self._value())]
        while self._take(","):
            parts.append(self._compared(name, "=", self._value()))
        if not self._take(")"):
            self._refuse("',' or ')'")
        return Where.joined("or", parts)

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
        numeric = () if isinstance(value, bool | str) else (name,)
        sql, values = self._filters.compared(name, sign, value)
        return Where(sql, values, frozenset({name}), numeric=frozenset(numeric))


_SHOWN = 40


@dataclass(frozen=True, slots=True)
class FilterNote:
    """A suspicious name in a filter.

    Attributes:
        name: the metadata name.
        values: the number of entries that have it.
        texts: the number of these that are compared with a number and are texts not written as one.
        example: one of them.
    """

    name: str
    values: int
    texts: int = 0
    example: str = ""

    def __str__(self) -> str:
        if not self.values:
            return f"no entry has the metadata {self.name!r}, which the filter asks for"
        shown = shortened(visible_line(self.example), _SHOWN)
        are = "is a text" if self.texts == 1 else "are texts"
        counts = f"{self.texts:,} of its {self.values:,} values {are}"
        return f"{self.name!r} is compared with a number, but {counts}, such as {shown!r}"


def notes_on(database: Database, asked: Where) -> list[FilterNote]:
    """Suspicious parts of a filter, by name."""
    missing = set(unknown_names(database, asked.asserted | asked.denied))
    found = [FilterNote(name, 0) for name in missing]
    for name in asked.numeric - missing:
        sql, values = database.filters.is_no_number(name)
        texts = _count(database, sql, values)
        if texts:
            row = database.execute(f"SELECT metadata FROM texts WHERE {sql} LIMIT 1", values).fetchone()
            there = _count(database, *database.filters.exists(name))
            found.append(FilterNote(name, there, texts, str(json.loads(row[0])[name])))
    return sorted(found, key=lambda one: one.name)


def unknown_names(database: Database, names: Iterable[str]) -> list[str]:
    """The names that no entry has in its metadata."""
    missing = []
    for name in sorted(names):
        sql, values = database.filters.exists(name)
        there = database.execute(f"SELECT EXISTS (SELECT 1 FROM texts WHERE {sql})", values).fetchone()
        missing += [] if there[0] else [name]
    return missing


def _count(database: Database, sql: str, values: tuple[object, ...]) -> int:
    return int(database.execute(f"SELECT count(*) FROM texts WHERE {sql}", values).fetchone()[0])
