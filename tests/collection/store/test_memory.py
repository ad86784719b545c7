"""Collections in memory: shared by name in a process, alone without, and served."""

import threading

import pytest

import textkin as tk
from tests.collection.store.making import vectors_of
from textkin.base.errors import UsageError
from textkin.cli import main
from textkin.collection.store.open_store import is_there, open_store
from textkin.collection.store.segment import RowSource
from textkin.data.entry_records import Entry

TEXTS = ["Where can I park?", "When do you open?"]


def test_a_name_is_one_collection_and_no_name_a_new_one():
    assert not is_there("memory://shared")
    with open_store("memory://shared", create={}) as store:
        list(store.add([Entry("a", "ice")], vectors_of))
    assert is_there("memory://shared") and not is_there("memory://")
    with open_store("memory://shared") as store, open_store("memory://", create={}) as alone:
        assert (len(store), len(alone), str(store.place)) == (1, 0, "memory://shared")
    with pytest.raises(UsageError) as error:
        open_store("memory://")
    assert error.value.params == ("collection",)


def test_verbs_take_it():
    assert tk.add("memory://verbs", TEXTS, ids=["p", "o"]).entries == 2
    assert tk.search("memory://verbs", "car park", k=1)[0].id == "p"
    assert tk.check_collection("memory://verbs").exit_code == 0
    info = tk.collection_info("memory://verbs")
    assert (info.entries, info.cache_bytes) == (2, 0) and info.database_bytes > 2 * 256
    assert tk.remove("memory://verbs", ids=["p"]).entries == 1
    tk.compact_collection("memory://verbs")
    with pytest.raises(UsageError) as error:
        tk.repair_collection("memory://verbs")
    assert error.value.params == ("repair",)


def test_a_command_keeps_nothing_in_memory(tmp_path, capsys):
    (tmp_path / "t.txt").write_text("ice\n")
    assert main(["collection", "add", "memory://x", str(tmp_path / "t.txt")]) == 2
    assert main(["search", "memory://x", "ice"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("textkin serve"), said.err.count("collection add")) == ("", 2, 0)


def test_readers_keep_their_moment_while_threads_write():
    wrong = []
    with open_store("memory://threads", create={}) as store:
        list(store.add([Entry(f"first {n}", "ice") for n in range(50)], vectors_of))

        def write(name):
            with open_store("memory://threads") as own:
                for number in range(20):
                    list(own.add([Entry(f"{name} {number}", f"fire {number}")], vectors_of))
                    own.remove([f"first {number}"])

        def read():
            with open_store("memory://threads") as own:
                for _ in range(60):
                    with own.reading():
                        there = [one.entry_id for one in own.entries()]
                        if not len(there) == len(own) == len(own.words(["ice fire"], 1000)[0]):
                            wrong.append(there)

        threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
        threads += [threading.Thread(target=read) for _ in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert not wrong and len(store) == 50 - 20 + 40


def test_it_is_served_empty_and_filled():
    pytest.importorskip("orjson", reason="textkin[server] is not installed")
    from tests.server.asking import client_of
    from textkin.server.middleware import Access
    from textkin.server.open_service import Served, open_service
    from textkin.server.serving import Serving, serve

    served = Served(models=("default",), collections=("memory://served",))
    service = open_service(served)
    client = client_of(service, access=Access())
    added = client.post("/documents", {"documents": [{"id": "p", "text": TEXTS[0]}]})
    assert added.status_code == 200, added.text
    assert client.post("/search", {"query": "car park", "k": 1}).json()["hits"][0]["id"] == "p"
    service.close()
    with pytest.raises(UsageError) as error:
        serve(Serving(served=served, place=None, workers=2), print)
    assert error.value.params == ("workers",)
    with pytest.raises(UsageError) as error:
        open_service(Served(models=("default",), collections=("memory://",)))
    assert error.value.params == ("collection",)


def test_words_are_counted_when_they_are_asked_for(monkeypatch):
    built = []
    counted = RowSource._counted
    monkeypatch.setattr(RowSource, "_counted", lambda self, *given: built.append(1) or counted(self, *given))
    texts = ["open the gate", "gate and bridge", "pay by card"]
    assert tk.match(texts, "open the gate").rows()[0]["verdict"] == "duplicate"
    assert len(tk.search(texts, "pay", mode="vectors")) == 3
    assert built == []
    assert [hit["id"] for hit in tk.search(texts, "bridge", mode="words").rows()] == [1]
    assert built == [1]
