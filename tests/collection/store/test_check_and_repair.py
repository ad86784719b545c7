"""Check and repair of damaged collections."""

import random
import shutil
import sqlite3

import pytest

from tests.collection.store.making import vectors_of
from textkin.base.errors import DataError, TextkinError, UsageError
from textkin.collection.store import segment_file
from textkin.collection.store import segment_file as caches
from textkin.collection.store.check_and_repair import check_collection, repair_collection
from textkin.collection.store.open_store import open_store
from textkin.collection.store.replaced_folder import acknowledged
from textkin.data.entry_records import Added, Entry

COUNT = 300
GIVEN = {
    f"t{number}": f"text number {number} about {['ice', 'fire', 'sun'][number % 3]}"
    for number in range(COUNT)
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "WORTH_A_FILE", 50)
    with open_store(tmp_path / "c", create={"model": {"name": "m"}}) as store:
        sum(store.add([Entry(*item) for item in GIVEN.items()], vectors_of, batch=64), Added())
    return tmp_path / "c"


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def found(folder):
    """The search results, in two ways; every hit is intact."""
    with open_store(folder) as store:
        hits = store.words(["text"], COUNT)[0] + store.nearest(vectors_of(["x"]), COUNT)[0]
        return {hit.doc_id for hit in hits}


def test_a_sound_collection(folder):
    assert check_collection(folder).count == COUNT
    assert not check_collection(folder).database
    assert not check_collection(folder).cache
    assert repair_collection(folder).count == COUNT
    assert found(folder) == set(GIVEN)
    with pytest.raises(UsageError) as error:
        check_collection(folder / "none")
    assert error.value.params == ("collection",)


@pytest.mark.slow
def test_flipped_bits_of_the_cache_are_never_searched(folder):
    [segment] = (folder / "cache").glob("*.segment")
    sound = segment.read_bytes()
    with open_store(folder) as store:
        expected = store.words(["number 7 ice"], 20), store.nearest(vectors_of(["y"]), 20)
    draws = random.Random(1)
    for place in [0, 20, len(sound) - 1, *(draws.randrange(len(sound)) for _ in range(60))]:
        segment.write_bytes(sound)
        flip(segment, place)
        with open_store(folder) as store:
            assert (store.words(["number 7 ice"], 20), store.nearest(vectors_of(["y"]), 20)) == expected
    segment.write_bytes(sound[:-100])
    assert check_collection(folder).cache
    with open_store(folder) as store:
        assert store.words(["number 7 ice"], 20) == expected[0]
    repair_collection(folder)
    assert not check_collection(folder).cache


def test_a_file_of_another_format_is_made_anew(folder, monkeypatch):
    with monkeypatch.context() as other:
        other.setattr(segment_file, "_POSTINGS", segment_file._POSTINGS[1:])
        repair_collection(folder)
    assert "the key 'keys' is missing" in check_collection(folder).cache[0]
    assert found(folder) == set(GIVEN)
    with open_store(folder) as store:
        store.compact()
    assert not check_collection(folder).cache


@pytest.mark.slow
def test_flipped_bits_of_the_database_are_told_and_never_found(folder):
    path = folder / "collection.sqlite"
    shutil.rmtree(folder / "cache")
    sound = path.read_bytes()
    draws = random.Random(2)
    told = 0
    for _ in range(40):
        path.write_bytes(sound)
        flip(path, draws.randrange(len(sound)))
        try:
            assert found(folder) == set(GIVEN)
            with open_store(folder) as store:
                assert {one.entry_id: one.text for one in store.entries()} == GIVEN
        except DataError as error:
            assert "damaged" in str(error)
            assert check_collection(folder).database
            told += 1
    assert told


def test_a_row_that_is_not_what_was_written_is_refused(folder):
    path = folder / "collection.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("UPDATE texts SET text = 'another' WHERE id = 't7'")
        other.execute("UPDATE vectors SET vector = zeroblob(16) WHERE number = 4")
    other.close()
    with open_store(folder) as store, pytest.raises(DataError, match="row 8 is not what was written"):
        store.rows(["t7"])
    problems = " ".join(check_collection(folder).database)
    assert "row 8 is" in problems and "the vector of row 4 is" in problems
    with pytest.raises(DataError) as error:
        repair_collection(folder)
    assert error.value.value == 1
    saved = repair_collection(folder, vectors_of)
    assert (saved.count, saved.lost, saved.lost_ids, saved.encoded) == (COUNT - 1, 1, ("t7",), 1)
    assert saved.kept_as is not None and saved.kept_as.exists()
    assert found(folder) == set(GIVEN) - {"t7"}
    with open_store(folder) as store:
        assert store.fact("model") == {"name": "m"}
        assert (store.rows(["t3"])[0].text) == GIVEN["t3"]
    assert not check_collection(folder).database


@pytest.mark.slow
def test_what_is_left_of_lost_pages_is_saved(folder):
    path = folder / "collection.sqlite"
    content = bytearray(path.read_bytes())
    page = int.from_bytes(content[16:18], "big")
    draws = random.Random(3)
    saved = 0
    for number in draws.sample(range(2, len(content) // page), 8):
        broken = folder.with_name(f"broken{number}")
        shutil.copytree(folder, broken)
        damaged = bytearray(content)
        damaged[number * page : (number + 1) * page] = draws.randbytes(page)
        (broken / "collection.sqlite").write_bytes(damaged)
        if not check_collection(broken).database:
            continue  # a page that is free
        try:
            repaired = repair_collection(broken, vectors_of)
        except TextkinError as error:
            assert "nothing in it can be read" in str(error)
            continue
        saved += repaired.count
        assert not check_collection(broken).database
        with open_store(broken) as store:
            left = {one.entry_id: one.text for one in store.entries()}
            assert left.items() <= GIVEN.items()
            assert len(left) == repaired.count == COUNT - repaired.lost
    assert saved > COUNT


def test_a_log_that_was_cut_is_told(folder):
    with open_store(folder) as store:
        list(store.add([Entry("new", "never lost")], vectors_of))
        copy = folder.with_name("copy")
        copy.mkdir()
        for path in folder.glob("collection*"):
            shutil.copyfile(path, copy / path.name)
    flip(copy / "collection.sqlite-wal", 60)
    with pytest.raises(DataError, match=r"change 30\d is its last|were acknowledged"):
        open_store(copy)
    assert check_collection(copy).database
    assert repair_collection(copy).unread_changes == 1
    assert found(copy) == set(GIVEN)


def noted(folder, name, text):
    """Write an invalid value under a fact's name."""
    connection = sqlite3.connect(folder / "collection.sqlite")
    with connection:
        connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, text))
    connection.close()


def test_a_fact_that_can_not_be_read_is_told_and_left_out(folder):
    noted(folder, "calibration", '{"format": 1')
    [told] = check_collection(folder).database
    assert told.endswith("what is noted as 'calibration' is not what was written")
    with open_store(folder) as store, pytest.raises(DataError, match="noted as 'calibration' is not"):
        store.fact("calibration")
    assert repair_collection(folder).count == COUNT
    assert not check_collection(folder).database
    with open_store(folder) as store:
        assert store.fact("calibration") is None and store.fact("model") == {"name": "m"}


@pytest.mark.parametrize("cells", ["4", "{}", '"x"'])
def test_cells_are_made_again_by_a_repair(folder, cells):
    with open_store(folder) as store:
        store.cells.make(4)
    if cells != "4":
        noted(folder, "cells", cells)
    noted(folder, "other", "{")  # so that rows go into a new database
    assert repair_collection(folder).kept_as is not None
    health = check_collection(folder)
    assert not health.database and not health.cache
    with open_store(folder) as store:
        assert (store.cells.known() is not None) == (cells == "4")


def test_what_was_told_stays_until_the_new_database_is_there(folder, monkeypatch):
    """A repair that is killed halfway leaves nothing that counts as complete."""
    noted(folder, "other", "{")
    with monkeypatch.context() as patch:
        patch.setattr("textkin.collection.store.repair.Path.replace", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            repair_collection(folder)
    assert acknowledged(folder / "collection.sqlite") > 0
    assert repair_collection(folder).count == COUNT
