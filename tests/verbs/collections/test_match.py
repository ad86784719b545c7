"""``tk.match`` over texts in memory, files and collections."""

import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError

TEXTS = ["Where can I park my car?", "When do you open?", "Do you sell bread?"]


def test_texts_in_memory():
    found = tk.match(TEXTS, ["where can I park my car", "Is it cold?"])
    assert [row.verdict for row in found] == ["duplicate", "new"]
    assert (found[0].nearest_id, found[0].nearest_text) == (0, TEXTS[0])
    assert repr(found) == "<MatchResult: 2 texts, 1 duplicate, 1 new>"
    assert tk.match(TEXTS, "when do you open", threshold=0.7)[0].verdict == "duplicate"


def test_the_same_of_a_collection(tmp_path):
    with tk.open_collection(tmp_path / "c", create=True) as kept:
        kept.add(TEXTS)
        there = tk.match(kept, ["Where can I park?"], threshold=0.5)
    for texts in (TEXTS, tmp_path / "c"):
        [row] = tk.match(texts, ["Where can I park?"], threshold=0.5)
        assert (row.verdict, row.score) == (there[0].verdict, pytest.approx(there[0].score, abs=1e-7))


def test_frames_with_ids_and_metadata(tmp_path):
    new = pd.DataFrame({"key": [4, 5], "said": ["Is it cold?", "is it cold"], "lang": ["en", "de"]})
    with tk.open_collection(tmp_path / "c", create=True) as kept:
        found = tk.match(kept, new, text="said", id="key", metadata=["lang"], add=True, threshold=0.8)
        assert [(row.id, row.verdict) for row in found] == [("4", "new"), ("5", "duplicate")]
        assert kept.store.rows(["5"])[0].metadata == {"lang": "de", "duplicate_of": "4"}


def test_frames_are_matched_by_their_index():
    known = pd.DataFrame({"text": TEXTS, "id": [10, 20, 30][: len(TEXTS)]}, index=[7, 8, 9][: len(TEXTS)])
    found = tk.match(known, known.iloc[:2], threshold=0.5)
    assert [(row.id, row.nearest_id) for row in found] == [(7, 7), (8, 8)]
    found = tk.match(known, known.iloc[:2], threshold=0.5, id="id")
    assert [(row.id, row.nearest_id) for row in found] == [("10", 10), ("20", 20)]


def test_rows_of_two_files_may_have_the_same_ids(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("id,text\n" + "\n".join(f"{n},{text}" for n, text in enumerate(TEXTS, 1)))
    new.write_text("id,text\n1,Where can I park my cars?\n2,Is it cold?\n3,Do you sell breads?")
    found = [(one.id, one.verdict, one.nearest_id) for one in tk.match(old, new, threshold=0.8)]
    assert found == [("1", "duplicate", "1"), ("2", "new", "2"), ("3", "duplicate", "3")]
    tk.match(old, new, threshold=0.8, out=tmp_path / "m.tsv")
    rows = pd.read_csv(tmp_path / "m.tsv", sep="\t", dtype=str)
    assert rows[["id", "verdict", "nearest_id"]].to_numpy().tolist() == [list(one) for one in found]


def test_guards_keep_texts_apart():
    asked = ["Windows 11 manual"], ["Windows 10 manual"]
    assert tk.match(*asked, threshold=0.5)[0].guards == "numbers"
    assert tk.match(*asked, threshold=0.5, guards=None)[0].verdict == "duplicate"


def test_explained():
    found = tk.match(TEXTS, "where can I park", threshold=0.5, explain=True)
    assert found.as_dict()["explained"]["score"] == pytest.approx(found[0].score, abs=1e-6)
    assert "shares of all pairs of tokens" in found.text()


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"threshold": 2}, ("threshold",)),
        ({"guards": "word"}, ("guards",)),
        ({"threshold": 0.5, "decision": "d.json"}, ("threshold", "decision")),
        ({"out": "x.tsv", "explain": True}, ("explain", "out")),
    ],
)
def test_options_that_are_refused(options, params):
    with pytest.raises(UsageError) as error:
        tk.match(TEXTS, "Where?", **options)
    assert error.value.params == params


def test_blank_texts_are_refused():
    with pytest.raises(DataError):
        tk.match(TEXTS, " ")


def test_the_rows_of_a_frame_have_its_index():
    new = pd.DataFrame({"text": ["Is it cold?", "Where can I park my car?"]}, index=["r", "q"])
    for given in (new, new["text"]):
        table = tk.match(TEXTS, given).to_pandas()
        assert table["verdict"].to_dict() == {"r": "new", "q": "duplicate"}


def test_metadata_of_a_list_are_no_column(tmp_path):
    tk.add(tmp_path / "c", TEXTS)
    with pytest.raises(UsageError) as error:
        tk.match(tmp_path / "c", ["Is it cold?"], metadata="lang", add=True)
    assert error.value.params == ("metadata",)


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"text": "body"}, ("text",)),
        ({"id": "key"}, ("id",)),
        ({"quoting": "none", "encoding": "cp1252"}, ("quoting", "encoding")),
    ],
)
@pytest.mark.parametrize("new", ["Where?", ["Where?", "When?"]])
@pytest.mark.parametrize("stored", [False, True])
def test_texts_in_memory_have_no_columns(tmp_path, options, params, new, stored):
    texts = TEXTS
    if stored:
        texts = tmp_path / "c"
        tk.add(texts, TEXTS)
    with pytest.raises(UsageError) as error:
        tk.match(texts, new, **options)
    assert error.value.params == params
