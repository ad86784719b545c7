"""A snapshot's texts are read once, and anew in the next one."""

import pytest

from tests.collection.store.conftest import Engine
from tests.collection.store.making import vectors_of
from textkin.collection.store import session
from textkin.data.entry_records import Entry


@pytest.fixture
def read(monkeypatch):
    """The texts that are read from the database, in order."""
    texts = []
    texts_of = session.texts_of

    def listed(back_end, which):
        for one in texts_of(back_end, which):
            texts.append(one.text)
            yield one

    monkeypatch.setattr(session, "texts_of", listed)
    return texts


def made(engine: Engine, folder):
    store = engine.open(folder, create={})
    list(store.add([Entry("a", "ice melts"), Entry("b", "the ice"), Entry("c", "fire")], vectors_of))
    return store


def test_a_found_text_is_read_once_in_a_snapshot(engine, tmp_path, read):
    with made(engine, tmp_path / "notes.kin") as store, store.reading():
        (hits,) = store.words(["ice"], 3)
        ids = [hit.doc_id for hit in hits]
        assert sorted(ids) == ["a", "b"]
        assert [one.entry_id for one in store.rows([*ids, "c", "none", "a"])] == [*ids, "c", "a"]
        assert sorted(read) == ["fire", "ice melts", "the ice"]
        assert [one.text for one in store.rows(["a"])] == ["ice melts"]
        assert len(read) == 3


def test_the_next_snapshot_has_the_texts_of_its_moment(engine, tmp_path, read):
    place = tmp_path / "notes.kin"
    with made(engine, place) as store, engine.open(place) as other:
        with store.reading():
            store.words(["ice"], 3)
        list(other.add([Entry("a", "ice sets")], vectors_of))
        assert [one.text for one in store.rows(["a"])] == ["ice sets"]
        with store.reading():
            (hits,) = store.words(["sets"], 3)
            assert [one.text for one in store.rows([hit.doc_id for hit in hits])] == ["ice sets"]


def test_the_texts_of_many_rankings_are_not_kept(engine, tmp_path, read, monkeypatch):
    monkeypatch.setattr(session, "_KEPT", 1)
    with made(engine, tmp_path / "notes.kin") as store, store.reading():
        store.words(["ice"], 3)
        assert len(store.rows(["a", "b"])) == 2
        assert sorted(read) in (["ice melts", "ice melts", "the ice"], ["ice melts", "the ice", "the ice"])
