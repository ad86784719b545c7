"""``tk.search`` over texts in memory, files and collections."""

import io

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, ModelError, UsageError

TEXTS = ["Where can I park my car?", "When do you open?", "Is there a car park?", "Do you sell bread?"]
QUERIES = ["park the car", "opening hours"]


def test_one_query_gives_hits_and_several_give_lists():
    hits = tk.search(TEXTS, "bread", k=2)
    assert (len(hits), hits[0].text, hits[0].id, hits[0].rank) == (2, TEXTS[3], 3, 1)
    found = tk.search(TEXTS, QUERIES, k=1)
    assert [[hit.text for hit in hits] for hits in found] == [[TEXTS[2]], [TEXTS[1]]]
    assert len(found.to_pandas()) == 2
    assert len(tk.search(TEXTS, "bread", top_k=3)) == 3


@pytest.mark.parametrize("mode", ["words", "vectors", "hybrid"])
def test_texts_are_ranked_as_a_collection_ranks_them(tmp_path, mode):
    ids = [str(place) for place in range(len(TEXTS))]
    with tk.open_collection(tmp_path / "c", create=True) as kept:
        kept.add(TEXTS, ids=ids)
        there = tk.search(kept, QUERIES, mode=mode)
    for here in (tk.search(TEXTS, QUERIES, mode=mode), tk.search(tmp_path / "c", QUERIES, mode=mode)):
        for own, other in zip(here, there, strict=True):
            assert [str(hit.id) for hit in own] == [hit.id for hit in other]
            np.testing.assert_allclose([hit.score for hit in own], [hit.score for hit in other], atol=1e-7)


def test_frames_files_and_columns(tmp_path):
    frame = pd.DataFrame({"key": [7, 8, 9, 9], "subject": TEXTS}, index=list("abcd"))
    assert tk.search(frame, "bread", text="subject", k=1)[0].id == "d"
    assert tk.search(frame["subject"], "bread", k=1)[0].id == "d"
    assert tk.search(frame[:3], "open", text="subject", id="key", k=1)[0].id == 8
    frame[["subject"]].to_csv(tmp_path / "t.csv")
    assert tk.search(tmp_path / "t.csv", "bread", text="subject", k=1)[0].text == TEXTS[3]
    (tmp_path / "q.txt").write_text("\n".join(QUERIES))
    assert len(tk.search(TEXTS, tmp_path / "q.txt", k=1)) == 2


def test_explained_and_reranked():
    found = tk.search(TEXTS, "park the car", k=2, mode="words", explain=True)
    [[first, _]] = found.explained
    assert first.bm25 == pytest.approx(found[0].score, abs=1e-6)
    assert "adds sums to the score" in found.text()
    again = tk.search(TEXTS, "park the car", k=2, mode="words", rerank="default")
    assert again[0].score != found[0].score


def test_a_run_of_texts(tmp_path):
    (tmp_path / "t.txt").write_text("\n".join(TEXTS))
    (tmp_path / "q.txt").write_text("\n".join(QUERIES))
    made = tk.search(tmp_path / "t.txt", tmp_path / "q.txt", k=1, out=tmp_path / "run")
    assert (made.queries, made.hits) == (2, 2)
    assert (tmp_path / "run").read_text().split()[2] == "3"


def test_lines_of_standard_input_are_answered_as_they_come(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("bread\nopen\n"))
    assert [found[0].text for found in tk.search(TEXTS, "-", k=1)] == [TEXTS[3], TEXTS[1]]


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"where": "lang = 'en'"}, ("where",)),
        ({"probe": 3}, ("probe",)),
        ({"text": "subject"}, ("text",)),
        ({"accept_drift": True}, ("accept_drift",)),
        ({"on": "ray"}, ("out",)),
        ({"min_score": 0.5}, ("min_score",)),
        ({"queries": " "}, ("queries",)),
        ({"bm25": "k1=-1"}, ("bm25",)),
        ({"bm25": "k1=1", "mode": "vectors"}, ("bm25",)),
    ],
)
def test_options_that_do_not_apply(options, params):
    queries = options.pop("queries", "bread")
    with pytest.raises(UsageError) as error:
        tk.search(TEXTS, queries, **options)
    assert error.value.params == params


def test_a_run_is_of_a_file_of_queries(tmp_path):
    for call in (tk.search, tk.match):
        with pytest.raises(UsageError) as error:
            call(TEXTS, ["When?"], out=tmp_path / "out.tsv")
        assert error.value.params == ("out",)


def test_nothing_to_search_in(tmp_path):
    assert len(tk.search([], "bread")) == 0
    for verb in (tk.search, tk.match):
        with pytest.raises(DataError) as error:
            verb(tmp_path / "none.kin", "bread")
        assert str(error.value.path) == str(tmp_path / "none.kin")


def test_a_string_that_names_a_file_is_a_text_and_that_is_told(tmp_path, capsys):
    (tmp_path / "asked.txt").write_text("Where can I park?\n")
    texts = ["Where can I park?", "Do you sell bread?"]
    for verb in (tk.search, tk.match):
        verb(texts, str(tmp_path / "asked.txt"))
        assert "asked.txt" in capsys.readouterr().err
        verb(texts, "Where is asked.txt?")
        verb(texts, tmp_path / "asked.txt")
        assert "taken as a text" not in capsys.readouterr().err


@pytest.mark.parametrize("verb", [tk.search, tk.match])
def test_a_baseline_is_no_model_of_vectors_and_the_fix_names_the_way_by_words(verb):
    with pytest.raises(ModelError) as raised:
        verb(TEXTS, QUERIES, model="bm25")
    assert raised.value.value == "bm25"
    assert "mode='words'" in str(raised.value)


@pytest.mark.parametrize("queries", ["Where?", ["Where?", "When?"]])
def test_queries_in_memory_of_a_collection_are_no_file(tmp_path, queries):
    tk.add(tmp_path / "c", ["When do you open?", "Where can I park?"])
    with pytest.raises(UsageError) as error:
        tk.search(tmp_path / "c", queries, quoting="none", encoding="cp1252")
    assert error.value.params == ("quoting", "encoding")
