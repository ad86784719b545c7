"""A collection with its model, from Python."""

import json
import sys
import threading

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import MissingExtraError, ModelError, UsageError, VerifyError
from textkin.base.parquet_files import json_lines
from textkin.collection.contents import export

TEXTS = ["Where can I park?", "When do you open?", "Do you lend laptops?"]


class Letters:
    """An encoder that counts letters, with another side for queries."""

    name, dim = "letters", 26

    def encode(self, texts, *, side="document"):
        self.side = side
        return np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)

    def score(self, pairs):
        return np.zeros(len(pairs), np.float32)


def test_from_python(places):
    with tk.open_collection(places / "c", create=True) as opened:
        assert opened.add(TEXTS, ids=list("abc"), metadata=[{"n": n} for n in range(3)]).new == 3
        assert opened.add([tk.Entry("c", TEXTS[2], {"n": 2})]).unchanged == 1
        found = opened.search(["open", "laptop"], k=1)
        assert [row["id"] for row in found.rows()] == ["b", "c"]
        assert found.hits[1][0].metadata == {"n": 2}
        assert "Do you lend laptops?" in str(found)
        assert len(opened.search("you", k=5, where="n < 2").hits[0]) == 2
        assert opened.remove(["a", "none"]) == 1
        assert (len(opened), opened.model.name) == (2, "default")
    with pytest.raises(UsageError) as error:
        tk.open_collection(places / "none")
    assert error.value.params == ("collection",)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda opened: opened.search("x", k=0),
        lambda opened: opened.search("x", mode="word"),
        lambda opened: opened.search([1]),
        lambda opened: opened.remove("a"),
        lambda opened: opened.add("none.txt", ids=["a"]),
    ],
)
def test_wrong_calls(tmp_path, wrong):
    with tk.open_collection(tmp_path, create=True) as opened:
        opened.add(TEXTS)
        with pytest.raises(UsageError):
            wrong(opened)


def test_an_object_as_the_model(places):
    letters = Letters()
    with tk.open_collection(places / "c", model=letters, create=True) as opened:
        opened.add(TEXTS, ids=list("abc"))
        assert opened.search("park", k=1, mode="vectors").hits[0][0].entry_id == "a"
        assert letters.side == "query"
    with tk.open_collection(places / "c") as opened:
        assert opened.search("park", mode="words").hits[0][0].entry_id == "a"
        with pytest.raises(ModelError, match="an object called letters"):
            opened.search("park")
    with pytest.raises(VerifyError):
        tk.open_collection(places / "c", model="default", accept_drift=True)


def test_threads_take_turns(places):
    with tk.open_collection(places / "c", model=Letters(), create=True) as opened:
        opened.add(TEXTS)
        wrong = []

        def work(number):
            try:
                for turn in range(5):
                    opened.add([f"text {number} {turn}"])
                    assert opened.search(f"text {number}", k=30, mode="words").hits[0]
            except Exception as error:
                wrong.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert not wrong
        assert len(opened) == 23


def test_export(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    with tk.open_collection(tmp_path / "c", model=Letters(), create=True) as opened:
        opened.add(TEXTS, metadata=[{"ä": "x"}, {}, {}])
        assert export(opened.store, tmp_path / "out.jsonl") == 3
        first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
        assert (first["text"], first["metadata"]) == (TEXTS[0], {"ä": "x"})
        for name in ("there.parquet", "there.arrow", "there.feather"):
            assert export(opened.store, tmp_path / name) == 3
            rows = [json.loads(line) for line in json_lines(tmp_path / name)]
            assert (rows[0]["text"], json.loads(rows[0]["metadata"])) == (TEXTS[0], {"ä": "x"})
            assert [row["text"] for row in rows] == TEXTS and rows[1]["metadata"] == "{}"
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingExtraError):
            export(opened.store, tmp_path / "out.parquet")
        assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_texts_and_ids(library, tmp_path):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    table = frames.DataFrame({"text": TEXTS, "id": [30, 10, 20]})
    if library == "pandas":
        table.index = [2, 0, 1]  # as after sorting: a row is found by its place, not by its number
    with tk.open_collection(tmp_path, create=True) as opened:
        assert opened.add(table["text"], ids=table["id"]).new == 3
        assert [hit["id"] for hit in opened.search(table["text"], k=1).rows()] == ["30", "10", "20"]
        assert opened.add(table[["text"]], ids=table["id"]).unchanged == 3
        found = opened.match(table[["text"]], threshold=0.9)
        assert [match.text for match in found.matches] == list(TEXTS)
        with pytest.raises(UsageError) as error:
            opened.add(table)
        assert error.value.params == ("texts",)
        assert opened.remove(table["id"]) == 3
