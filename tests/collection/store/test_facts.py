"""A collection's facts are as written, or an error names them."""

import sqlite3

import pytest

from tests.collection.store.making import vectors_of
from textkin.base.errors import DataError
from textkin.collection.store.check_and_repair import check_collection
from textkin.collection.store.open_store import open_store
from textkin.data.entry_records import Added, Entry

WRONG = {
    "format": ["0", "1", "3", "true", "2.0", '"2"', "null", "[]"],
    "dim": ["0", "-4", "5", "true", "null", '"4"', "4.0", "1e999", "100000000000"],
    "analyser": ["5", "null", "[]", "{}"],
    "windows": ["-1", "true", "1.5", '"64"', "[]", "1e999"],
}


@pytest.fixture
def folder(tmp_path):
    with open_store(tmp_path / "c", create={}) as store:
        sum(store.add([Entry(str(number), f"text {number}") for number in range(9)], vectors_of), Added())
    return tmp_path / "c"


def execute(folder, statement, values=()):
    database = sqlite3.connect(folder / "collection.sqlite")
    database.execute(statement, values)
    database.commit()
    database.close()


def search(folder):
    with open_store(folder) as store:
        return (
            len(store.nearest(vectors_of(["text 1"]), 3)[0]),
            store.window,
            len(store.words(["text"], 3)[0]),
        )


@pytest.mark.parametrize(("name", "value"), [(name, one) for name, values in WRONG.items() for one in values])
def test_a_fact_of_another_kind(folder, name, value):
    execute(folder, "INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
    with pytest.raises(DataError, match=name):
        search(folder)
    assert any(name in problem for problem in check_collection(folder).database) or name == "dim"
    assert check_collection(folder).database


def test_rows_without_a_dimension(folder):
    execute(folder, "DELETE FROM facts WHERE name = 'dim'")
    with pytest.raises(DataError, match="'dim' is not what was written"):
        search(folder)
    assert check_collection(folder).database


@pytest.mark.parametrize("change", ["counter = 'x'", "counter = -1", "live = NULL", "counter = 1.5"])
def test_a_counter_that_is_none(folder, change):
    if change == "live = NULL":
        execute(folder, "DELETE FROM state")
    else:
        execute(folder, f"UPDATE state SET {change}")
    with pytest.raises(DataError, match="damaged"):
        search(folder)
    assert check_collection(folder).database
