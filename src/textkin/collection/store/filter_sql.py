"""Filter comparisons in the SQL of a database, with question marks for names and values.

The type of a value determines the comparison: numbers match numbers and texts written as numbers; texts match
texts and the written form of numbers. Missing values and other types don't match.
"""

import json
import sqlite3
from typing import Protocol

from textkin.base.errors import invalid
from textkin.collection.store.filters import NUMBER, Compared, Joined, Not, Value, Where, number_of, written

Comparison = tuple[str, tuple[Value, ...]]
"""An expression of the column ``metadata``, and the values of its question marks."""


class FilterSql(Protocol):
    """A database's comparisons of the metadata value under a name."""

    def exists(self, name: str, /) -> Comparison:
        """True if a value exists under a name."""

    def contains(self, name: str, part: str, /) -> Comparison:
        """True if a text, or the written form of another value, contains a part."""

    def compared(self, name: str, sign: str, value: Value, /) -> Comparison:
        """True if the value compares this way with a given one; booleans support only "="."""

    def is_no_number(self, name: str, /) -> Comparison:
        """True for a text that isn't written as a number."""


def condition(where: Where, filters: FilterSql) -> Comparison:
    """A filter as SQL. Names and values are parameters: nothing a user writes is part of a statement."""
    match where:
        case Compared(name, "exists"):
            return filters.exists(name)
        case Compared(name, "contains", value):
            return filters.contains(name, str(value))
        case Compared(name, "is no number"):
            return filters.is_no_number(name)
        case Compared(name, sign, value):
            return filters.compared(name, sign, value)
        case Not(part):
            sql, values = condition(part, filters)
            return f"(NOT {sql})", values
        case Joined(word, parts):
            made = [condition(one, filters) for one in parts]
            joined = f" {word.upper()} ".join(sql for sql, _ in made)
            return f"({joined})", tuple(value for _, values in made for value in values)
        case _:
            raise TypeError(where)


_NUMBER_OF, _WRITTEN = "textkin_number_of", "textkin_written"


def add_functions(connection: sqlite3.Connection) -> None:
    """Register the functions that :class:`SqliteFilters` calls with SQLite."""
    connection.create_function(_NUMBER_OF, 1, number_of, deterministic=True)
    connection.create_function(_WRITTEN, 2, _written_under, deterministic=True)


def _written_under(metadata: str, name: str) -> str | None:
    """The value under a name as text; SQLite would write numbers with 15 digits, and true as 1."""
    value = json.loads(metadata).get(name)
    return None if value is None else written(value)


_TEXT = (
    "CASE WHEN json_type(metadata, ?) = 'text' THEN json_extract(metadata, ?)"
    f" WHEN json_type(metadata, ?) IS NOT NULL THEN {_WRITTEN}(metadata, ?) END"
)


class SqliteFilters:
    """Comparisons with SQLite's JSON functions and :func:`add_functions`; a condition is 1 or 0."""

    def exists(self, name: str, /) -> Comparison:
        """See the protocol."""
        return "(json_type(metadata, ?) IS NOT NULL)", (_path(name),)

    def contains(self, name: str, part: str, /) -> Comparison:
        """See the protocol."""
        path = _path(name)
        return f"IFNULL(instr({_TEXT}, ?) > 0, 0)", (path, path, path, name, part)

    def compared(self, name: str, sign: str, value: Value, /) -> Comparison:
        """See the protocol."""
        path = _path(name)
        if isinstance(value, bool):
            word = "true" if value else "false"
            sql = "(json_type(metadata, ?) IS ? OR IFNULL(lower(json_extract(metadata, ?)) = ?, 0))"
            return sql, (path, word, path, word)
        if isinstance(value, str):
            return (
                f"IFNULL({_TEXT} {sign} ? AND json_type(metadata, ?) IN ('text', 'integer', 'real'), 0)",
                (path, path, path, name, value, path),
            )
        return (
            f"IFNULL(CASE json_type(metadata, ?) WHEN 'text' THEN {_NUMBER_OF}(json_extract(metadata, ?))"
            " WHEN 'integer' THEN json_extract(metadata, ?) WHEN 'real' THEN json_extract(metadata, ?)"
            f" END {sign} ?, 0)",
            (path, path, path, path, value),
        )

    def is_no_number(self, name: str, /) -> Comparison:
        """See the protocol."""
        path = _path(name)
        sql = (
            f"IFNULL(json_type(metadata, ?) = 'text' AND {_NUMBER_OF}(json_extract(metadata, ?)) IS NULL, 0)"
        )
        return sql, (path, path)


_WHOLE_NUMBER = f"^({NUMBER})$"


class PostgresFilters:
    """Comparisons with PostgreSQL's JSON operators; a condition is true or false.

    CASE fixes the order of evaluation: only numbers are read as numbers.
    """

    def exists(self, name: str, /) -> Comparison:
        """See the protocol."""
        return "((metadata::json -> ?::text) IS NOT NULL)", (_without_nul(name),)

    def contains(self, name: str, part: str, /) -> Comparison:
        """See the protocol."""
        sql = "COALESCE(strpos(metadata::json ->> ?::text, ?::text) > 0, FALSE)"
        return sql, (_without_nul(name), _without_nul(part))

    def compared(self, name: str, sign: str, value: Value, /) -> Comparison:
        """See the protocol."""
        name = _without_nul(name)
        if isinstance(value, bool):
            word = "true" if value else "false"
            return 'COALESCE(lower((metadata::json ->> ?::text) COLLATE "C") = ?, FALSE)', (name, word)
        if isinstance(value, str):
            return (
                "CASE WHEN json_typeof(metadata::json -> ?::text) IN ('string', 'number')"
                f' THEN (metadata::json ->> ?::text) COLLATE "C" {sign} (?::text) COLLATE "C" ELSE FALSE END',
                (name, name, _without_nul(value)),
            )
        shown = repr(value)  # a JSON number has any size and precision
        return (
            "CASE WHEN json_typeof(metadata::json -> ?::text) = 'number'"
            f" THEN (metadata::json ->> ?::text)::numeric {sign} (?::text)::numeric"
            " WHEN json_typeof(metadata::json -> ?::text) = 'string' AND (metadata::json ->> ?::text) ~ ?"
            f" THEN (metadata::json ->> ?::text)::float8 {sign} (?::text)::float8 ELSE FALSE END",
            (name, name, shown, name, name, _WHOLE_NUMBER, name, shown),
        )

    def is_no_number(self, name: str, /) -> Comparison:
        """See the protocol."""
        name = _without_nul(name)
        sql = (
            "COALESCE(json_typeof(metadata::json -> ?::text) = 'string'"
            " AND (metadata::json ->> ?::text) !~ ?, FALSE)"
        )
        return sql, (name, name, _WHOLE_NUMBER)


def _path(name: str) -> str:
    """SQLite's path of a metadata name, which is spelt as in JSON."""
    return f"$.{json.dumps(name, ensure_ascii=False)}"


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise invalid("where", text, expected="no NUL character")
    return text
