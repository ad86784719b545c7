"""Filters, compared with Python on each entry."""

import operator
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.collection.store.filter_sql import SqliteFilters, add_functions, condition
from textkin.collection.store.filters import number_of, parse_where
from textkin.collection.store.rows import metadata_text

ROWS = [
    {},
    {"lang": "en", "year": 2020},
    {"lang": "de", "year": 1999.5, "odd name": "x"},
    {"lang": "12", "year": "2021", "on": True},
    {"lang": 12, "on": False, "tags": ["a"]},
    {"lang": None, "year": -3, "a.b": 'it\'s "so"'},
    {"back\\slash": 1, "tab\there": 2, "über": 3, "on": "True"},
    {"size": 0.1 + 0.2, "tags": ["a", "b"]},
    {"size": 1e16},
    {"size": -0.0},
]


def kept(text):
    where = parse_where(text)
    found = [number for number, row in enumerate(ROWS) if where.holds(row)]
    sql, values = condition(where, SqliteFilters())
    rows = [(number, metadata_text(row, "id")) for number, row in enumerate(ROWS)]
    with closing(sqlite3.connect(":memory:")) as connection:
        add_functions(connection)
        connection.execute("CREATE TABLE texts (number, metadata)")
        connection.executemany("INSERT INTO texts VALUES (?, ?)", rows)
        in_sql = connection.execute(f"SELECT number FROM texts WHERE {sql} ORDER BY number", values)
        assert [row[0] for row in in_sql] == found
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('lang = "en"', [1]),
        ("lang = 'en' and year >= 2020", [1]),
        ("lang != 'en'", [0, *range(2, 10)]),
        ("lang = '12'", [3, 4]),
        ("lang = 12", [3, 4]),
        ("year > 1000", [1, 2, 3]),
        ("year = 2021 and year = '2021' and year > 2020.5", [3]),
        ("year < 0 or on = true", [3, 5, 6]),
        ("on = false", [4]),
        ("on != true", [0, 1, 2, 4, 5, 7, 8, 9]),
        ("on = 'True'", [6]),
        ("year < " + "9" * 5000, [1, 2, 3, 5]),
        ("year < " + "9" * 30, [1, 2, 3, 5]),
        ("`back\\slash` = 1", [6]),
        ("`tab\there` = 2 and über = 3", [6]),
        ("not lang exists", [0, *range(5, 10)]),
        ("lang in ('de', \"en\", 12)", [1, 2, 3, 4]),
        ("lang not in ('de')", [0, 1, *range(3, 10)]),
        ("`odd name` = 'x'", [2]),
        ('a.b contains "\'s"', [5]),
        (r"a.b = 'it\'s \"so\"'", [5]),
        ("tags = 'a'", []),
        ("tags exists AND NOT (lang < 'a' or year = 1)", [7]),
        ("((year >= -3.0e0))", [1, 2, 3, 5]),
        ("lang <= 'de'", [2, 3, 4]),
        ("size = '0.30000000000000004'", [7]),
        ("size = '1e+16' or size = '-0.0'", [8, 9]),
        ("size > '1'", [8]),
        ("on contains 'r' or tags contains '\", \"'", [3, 6, 7]),
    ],
)
def test_what_a_filter_keeps(text, expected):
    assert kept(text) == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("19.90", 19.9), ("5.00", 5), ("7", 7), ("-0.5", -0.5), (".5", 0.5), (" 9.99 ", 9.99), ("0", 0)),
        *(
            ("1.0E+1", 10),
            ("999999999999999", 999999999999999),
            ("3.14159265358979323", 3.141592653589793),
        ),
        *(("007", None), ("1e5", None), ("+49", None), ("1234567890123456", None), ("1.", None), ("", None)),
        *(("1,5", None), ("1.2.3", None), ("NaN", None), ("inf", None), ("0x10", None), ("1_000", None)),
        *(("--5", None), ("5 kg", None), ("٣", None), ("5\n", None), (5, None)),
    ],
)
def test_what_is_written_as_a_number(text, number):
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "its end at character 1, expected the name"),
        ("lang", "its end at character 5, expected =, !="),
        ("lang = en", "'en' at character 8, expected a text in quotes, a number"),
        ("lang == 'en'", "'=' at character 7"),
        ("lang = 'en' lang", "'lang' at character 13, expected and, or"),
        ("(lang = 'en'", "its end at character 13, expected ')'"),
        ("lang in 'en'", "expected '('"),
        ("lang in ('en' 'de')", "expected ',' or ')'"),
        ("lang = 'en", "can't be read at character 8"),
        ("lang; drop table texts", "can't be read at character 5"),
        ("on < true", "'true' at character 6, expected a text in quotes or a number"),
        ("lang not = 'en'", "expected in"),
        ("lang contains 3", "'3' at character 15, expected a text in quotes"),
        ('`a"b` = 1', "expected the name"),
        ("year = 2020x", "'2020x' at character 8"),
        ("(" * 50 + "a = 1" + ")" * 50, "at most 40 brackets"),
        ("a in (" + "1," * 400 + "1)", "expected at most 400 comparisons"),
        ("a = 1 or " * 2000, "18,000 characters"),
        ("a = '\ud800'", "whole characters"),
    ],
)
def test_filters_that_can_not_be_understood(text, told):
    with pytest.raises(UsageError) as caught:
        parse_where(text)
    assert told in str(caught.value)


@given(st.text(alphabet="ab=<>!()'\"`,. 01ntorandi\\", max_size=30))
def test_any_text_is_a_filter_or_an_error(text):
    try:
        found = kept(text)
    except UsageError:
        return
    assert set(found) <= set(range(len(ROWS)))


names = st.sampled_from(["lang", "year", "on"])
values = st.one_of(st.integers(-5, 3000), st.sampled_from(["en", "de", "12"]))
parts = st.tuples(names, st.sampled_from(["=", "!=", "<", ">="]), values)


def holds(row, name, sign, value):
    """A comparison, spelled out."""
    there = row.get(name)
    if isinstance(value, int) and isinstance(there, str) and there.isdigit():
        there = int(there)
    if isinstance(value, str):
        right_kind = isinstance(there, str | int | float) and not isinstance(there, bool)
        there = str(there)
    else:
        right_kind = isinstance(there, int | float) and not isinstance(there, bool)
    if sign == "!=":
        return not (right_kind and there == value)
    return right_kind and {"=": operator.eq, "<": operator.lt, ">=": operator.ge}[sign](there, value)


@given(st.lists(parts, min_size=1, max_size=4), st.booleans())
def test_comparisons_are_those_of_python(parts, together):
    text = (" and " if together else " or ").join(f"{name} {sign} {value!r}" for name, sign, value in parts)
    join = all if together else any
    expected = [n for n, row in enumerate(ROWS) if join(holds(row, *part) for part in parts)]
    assert kept(text) == expected
