"""Specific tests of PostgreSQL: several writers, permissions, server kills, versions."""

import re
import sys
import threading

import pytest

from tests.collection.store.conftest import Engine
from tests.collection.store.making import vectors_of
from tests.collection.store.test_folder_store import searched, stored
from textkin.base.errors import DataError, MissingExtraError, OutputError, UsageError
from textkin.collection.store.address import place_of
from textkin.collection.store.open_store import back_end_of, is_there, open_store
from textkin.data.entry_records import Entry

pytestmark = [pytest.mark.long, pytest.mark.slow]

SECRET = "s3cret"


@pytest.fixture
def engine(postgres):
    return Engine("postgres", postgres)


def entries(first, count, text="text"):
    return [
        Entry(f"e{number:04}", f"{text} {number % 7} of {number}") for number in range(first, first + count)
    ]


def test_collections_of_one_database_are_apart(postgres):
    one, other = (postgres.address(name) for name in ("apart_1", "apart_2"))
    assert not is_there(one)
    with pytest.raises(UsageError) as error:
        open_store(one)
    assert error.value.params == ("collection",)
    with open_store(one, create={}) as first, open_store(other, create={"analyser": "english"}) as second:
        stored(first, entries(0, 3))
        assert (len(first), len(second), is_there(one)) == (3, 0, True)
        assert (first.fact("analyser"), second.fact("analyser")) == ("plain", "english")
        assert first.sizes()[0] > 0


def test_several_write_at_once_and_nothing_is_lost(engine, tmp_path):
    """Writers with common ids and texts: the collection equals some order of their batches."""
    with engine.open(tmp_path, create={}) as store:
        wrong = []

        def write(number):
            try:
                with engine.open(tmp_path) as own:
                    for start in range(0, 60, 20):
                        stored(own, entries(start + 10 * number, 30, f"by {number}"), batch=7)
                        stored(own, [Entry(f"own{number}", f"kept by {number} at {start}")])
                    own.remove([f"e{number:04}"])
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert wrong == []
        there = {one.entry_id: one.text for one in store.entries()}
        assert {f"own{n}": f"kept by {n} at 40" for n in range(4)}.items() <= there.items()
        assert there.keys() >= {f"e{number:04}" for number in range(10, 80)}
        health = engine.check(tmp_path)
        assert health.database == () and health.count == len(there) == len(store)
        fresh = Engine("sqlite")
        with fresh.open(tmp_path / "fresh", create={}) as local:
            stored(local, [Entry(*item) for item in there.items()])
            assert searched(local, 50) == searched(store, 50)


def test_what_another_writer_did_meanwhile_counts(engine, tmp_path):
    """While a batch is encoded, another writer gives one of its ids the text, and removes another's
    duplicate.
    """
    with engine.open(tmp_path, create={}) as store, engine.open(tmp_path) as other:
        stored(other, [Entry("twin", "sun")])
        asked = []

        def slowly(texts):
            if not asked:
                stored(other, [Entry("a", "ice"), Entry("b", "old")])
                other.remove(["twin"])
            asked.append(list(texts))
            return vectors_of(texts)

        given = [Entry("a", "ice"), Entry("b", "fire"), Entry("c", "sun")]
        [done] = store.add(given, slowly)
        assert (done.new, done.changed, done.unchanged) == (1, 1, 1)
        assert asked == [["ice", "fire"]]  # the vector of sun was there when it was planned
        assert {one.entry_id: one.text for one in store.entries()} == {"a": "ice", "b": "fire", "c": "sun"}


def test_a_change_that_waited_in_vain_leaves_nothing_behind(engine, tmp_path, monkeypatch):
    """Neither an open transaction nor a lock: the same store continues, and others may write alone."""
    monkeypatch.setattr("textkin.collection.store.postgres.database._PATIENCE", "100ms")
    with engine.open(tmp_path, create={}) as store, engine.open(tmp_path) as other:
        stored(store, entries(1, 1))
        with other._session.back_end.transaction():
            for change in (lambda: stored(store, entries(0, 2)), lambda: store.remove(["e0001"])):
                with pytest.raises(OutputError):
                    change()
        with other.writing(0):
            pass
        assert stored(store, entries(0, 2)).new == 1


def test_who_writes_alone_keeps_others_out(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store, engine.open(tmp_path) as other:
        adding = store.add(entries(0, 2), vectors_of, batch=1)
        next(adding)
        with pytest.raises(OutputError), other.writing(0):
            pass
        list(adding)
        with other.writing(0):
            assert stored(other, entries(5, 1)).new == 1


def test_kills_of_the_server_lose_nothing_that_was_told(postgres, engine, tmp_path):
    told, under_way = {}, {}
    engine.open(tmp_path, create={}).close()
    for kill in range(20):
        with engine.open(tmp_path) as store:
            there = {one.entry_id: one.text for one in store.entries()}
            assert there in (told, told | under_way)
            assert len(store) == len(there) and len(store.words(["kill"], 1000)[0]) == len(there)
            told, under_way = there, {}
            ended = threading.Timer(0.02 * (kill % 7), postgres.kill)
            ended.start()
            # Within a change the connection is lost; between two the server can't be reached.
            with pytest.raises(OutputError) as caught:
                for start in range(10_000):
                    part = entries((100 * kill + 7 * start) % 400, 9, f"kill {kill}")
                    under_way = {one.entry_id: one.text for one in part}
                    stored(store, part)
                    told, under_way = told | under_way, {}
            assert re.search("resume when the server is back|see that the server runs", str(caught.value))
            ended.join()
            postgres.start()
            if kill == 0:  # an open store continues, too
                assert len(store) in (len(told), len(told | under_way))
    assert engine.check(tmp_path).database == ()


def test_a_commit_waits_for_the_disk_whatever_the_server_says(engine, tmp_path):
    engine.open(tmp_path, create={}).close()
    place = engine.place(tmp_path)
    off = place_of(f"{place.secret}&options=-csynchronous_commit%3Doff&collection={place.name}")
    database = back_end_of(off)
    assert database.execute("SHOW synchronous_commit").fetchone() == ("on",)
    database.close()


def test_damaged_rows_are_told(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store:
        stored(store, entries(0, 5))
    engine.execute(
        tmp_path,
        "UPDATE texts SET text = 'other' WHERE number = 2",
        "UPDATE vectors SET vector = substr(vector, 1, 8) WHERE number = 3",
        "DELETE FROM vectors WHERE number = 4",
    )
    told = " ".join(engine.check(tmp_path).database)
    for what in ("row 2 is not", "vector of row 3 is", "1 rows of texts are not in vectors"):
        assert what in told
    with engine.open(tmp_path) as store, pytest.raises(DataError, match="restore the database from a backup"):
        store.rows(["e0001"])


def test_vectors_are_stored_as_they_are(engine, tmp_path):
    engine.open(tmp_path, create={}).close()
    kind = (
        "SELECT attstorage::text FROM pg_attribute"
        " WHERE attrelid = 'vectors'::regclass AND attname = 'vector'"
    )
    assert [one.fetchone() for one in engine.execute(tmp_path, kind)] == [("e",)]


def test_compacting_makes_others_begin_anew(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store, engine.open(tmp_path) as reader:
        stored(store, entries(0, 30))
        assert len(reader.words(["text"], 50)[0]) == 30
        store.remove([f"e{number:04}" for number in range(10)])
        store.compact()
        assert [one.fetchone() for one in engine.execute(tmp_path, "SELECT count(*) FROM gone")] == [(0,)]
        assert len(reader.words(["text"], 50)[0]) == 20


def said(caught):
    assert SECRET not in str(caught.value) and "\n" not in str(caught.value)
    assert SECRET not in repr(caught.value.__context__)
    return str(caught.value)


@pytest.fixture(scope="module")
def stranger(postgres):
    """A user with a password and without permissions."""
    engine = Engine("postgres", postgres)
    engine.open("strangers", create={}).close()
    rules = postgres.folder / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text("local all stranger scram-sha-256\n" + before)
    engine.execute(
        "strangers",
        f"CREATE ROLE stranger LOGIN PASSWORD '{SECRET}'",
        "CREATE DATABASE elsewhere",
        "SELECT pg_reload_conf()",
    )
    place = str(engine.place("strangers"))
    yield place, place.replace("postgres@", f"stranger:{SECRET}@")
    rules.write_text(before)
    engine.execute("strangers", "DROP ROLE stranger", "SELECT pg_reload_conf()")


def test_what_the_server_refuses_is_told_in_one_line(stranger):
    place, with_password = stranger
    with pytest.raises(OutputError) as caught:
        open_store(with_password.replace(SECRET, SECRET + "x"))
    said(caught)
    with pytest.raises(OutputError) as caught:
        open_store(place.replace("postgres@", "stranger@"))
    said(caught)
    with pytest.raises(OutputError) as caught:
        open_store(with_password)
    said(caught)
    with pytest.raises(OutputError) as caught:
        open_store(with_password.replace("collection=", "collection=new_"), create={})
    said(caught)
    with pytest.raises(OutputError) as caught:
        open_store(with_password.replace("/postgres?", "/nowhere?"))
    said(caught)
    with pytest.raises(OutputError) as caught:
        open_store(place.replace("postgres@", f"nobody:{SECRET}@"))
    said(caught)


def test_who_may_only_read_is_told_so_when_writing(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store:
        stored(store, entries(0, 5))
    place = engine.place(tmp_path)
    rights = (f"USAGE ON SCHEMA textkin_{place.name}", f"SELECT ON ALL TABLES IN SCHEMA textkin_{place.name}")
    engine.execute(tmp_path, "CREATE ROLE reader LOGIN", *(f"GRANT {right} TO reader" for right in rights))
    try:
        with open_store(str(place).replace("postgres@", "reader@")) as store:
            assert len(searched(store, 5)) > 0
            for change in (lambda: stored(store, entries(3, 3)), lambda: store.remove(["e0001"])):
                with pytest.raises(OutputError):
                    change()
            assert len(store) == 5
    finally:
        engine.execute(tmp_path, "DROP OWNED BY reader", "DROP ROLE reader")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("postgresql://u:s3cret@127.0.0.1:1/db", "connection refused"),
        ("postgresql://u:s3cret@/db?host=/nowhere", "no such file"),
        ("postgresql://u:s3cret@h.invalid/db", "can't reach postgresql://u@h.invalid/db"),
        ("postgresql://u:s3cret@h/db?colection=x", "has an unknown option|understood"),
        ("postgresql://u:s3cret%@h/db", "can't be understood"),
    ],
)
def test_what_can_not_be_reached_is_told_in_one_line(postgres, address, told):
    with pytest.raises(OutputError, match=told) as caught:
        open_store(address)
    said(caught)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError):
        open_store("postgresql://u:s3cret@h/db")


def test_a_nul_in_a_text_is_refused(engine, tmp_path):
    with engine.open(tmp_path, create={}) as store:
        with pytest.raises(DataError, match="a NUL character in the text of 'a', which PostgreSQL"):
            stored(store, [Entry("a", "ice\0")])
        assert stored(store, [Entry("x" * 4096, "ice"), Entry("a", "ice")]).new == 2
        assert len(store.rows(["x" * 4096])) == 1
