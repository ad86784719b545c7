"""Filters have the same meaning in all back ends."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collection.store.making import vectors_of
from tests.collection.store.test_filters import ROWS
from textkin.base.errors import UsageError
from textkin.data.entry_records import Entry

pytestmark = pytest.mark.slow

FILTERS = [
    'lang = "en"',
    "lang != 'en'",
    "lang = '12'",
    "lang = 12",
    "year > 1000",
    "year < 0 or on = true",
    "on = false",
    "on != true",
    "on = 'True'",
    "year < " + "9" * 5000,
    "year < 1999.5000001 and year >= 1999.5",
    "`back\\slash` = 1",
    "`tab\there` = 2 and über = 3",
    "not lang exists",
    "lang in ('de', \"en\", 12)",
    "lang not in ('de')",
    "`odd name` = 'x'",
    'a.b contains "\'s"',
    "lang contains '1'",
    "year contains '20'",
    "tags = 'a'",
    "tags exists AND NOT (lang < 'a' or year = 1)",
    "lang <= 'de'",
    "lang = '%s' or lang = '?' or lang = '''",
    "large = 9007199254740993",
    "large > 9007199254740992",
    "small = 0.1",
    "small < 0.30000000000000004",
    "price < 20",
    "price = 19.9",
    "price = '19.90'",
    "price != 5",
    "price >= 1e-40 and price < 1e60",
]
PRICES = [
    "19.90",
    "5.00",
    "-0.5",
    ".5",
    "1.0E+1",
    " 7 ",
    "007",
    "1e5",
    "+49",
    "9" * 16,
    "9" * 15,
    "n/a",
    "5\n",
]
PRICES += ["0." + "0" * 29 + "1", "0." + "0" * 400 + "1", "9.0e99", "9.0e999", "1.2.3", "", "٣", "1,5", "?"]
PRICED = [{"price": price} for price in PRICES]
MORE = [
    {"large": 2**53 + 1},
    {"small": 0.1},
    {"small": 0.3},
    {"lang": "?"},
    {"lang": "Ä"},
    {"year": 2**63 - 1},
]


@pytest.fixture(scope="module")
def stores(request, tmp_path_factory):
    from tests.collection.store.conftest import Engine

    engines = [
        Engine("sqlite"),
        Engine("memory"),
        Engine("own"),
        Engine("postgres", request.getfixturevalue("postgres")),
    ]
    folder = tmp_path_factory.mktemp("filters")
    opened = [one.open(folder, create={}) for one in engines]
    entries = [Entry(f"e{place:02}", "ice", row) for place, row in enumerate([*ROWS, *MORE, *PRICED])]
    for one in opened:
        list(one.add(entries, vectors_of))
    yield opened
    for one in opened:
        one.close()


def kept(store, where):
    try:
        return [one.entry_id for one in store.entries(where=where)]
    except UsageError as error:
        return str(error)


def test_what_is_no_number_is_the_same(stores):
    ours, *others = (one.filter_notes("price = 1") for one in stores)
    assert all(theirs == ours for theirs in others)
    assert ours[0].texts == 13 and ours[0].values == len(PRICES)


@pytest.mark.parametrize("where", FILTERS)
def test_a_filter_keeps_the_same(stores, where):
    ours, *others = (kept(one, where) for one in stores)
    assert all(theirs == ours for theirs in others)


names = st.sampled_from(["lang", "year", "on", "large", "small", "none"])
values = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(1990, 2030),
    st.floats(-3000, 3000),
    st.booleans().map(lambda one: one),
    st.sampled_from(["en", "de", "12", "Ä", "ä", "", "True"]),
)
parts = st.tuples(names, st.sampled_from(["=", "!=", "<", ">=", ">", "<="]), values)


def spelt(value):
    return json.dumps(value, ensure_ascii=False)


@given(asked=st.lists(parts, min_size=1, max_size=4), together=st.booleans())
def test_comparisons_are_those_of_sqlite(stores, asked, together):
    where = (" and " if together else " or ").join(f"{name} {sign} {spelt(one)}" for name, sign, one in asked)
    ours, *others = (kept(one, where) for one in stores)
    assert all(theirs == ours for theirs in others)


def test_a_nul_in_a_filter(stores):
    with pytest.raises(UsageError) as error:
        list(stores[-1].entries(where='lang = "\0"'))
    assert error.value.params == ("where",)
    assert all(one.rows(["\0"]) == [] for one in stores)
