"""tk.cluster: texts, files, collections, and invalid combinations."""

import numpy as np
import pytest

import textkin as tk
from textkin.cli import main

TEXTS = ["Where can I park?", "Where can I park my car?", "When do you open?", "Do you sell bread?"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "texts.tsv"
    rows = [f"t{place}\t{text}\t{'car' if place < 2 else ''}" for place, text in enumerate(TEXTS)]
    path.write_text("\n".join(["id\ttext\ttopic", *rows]) + "\n")
    return path


@pytest.fixture
def collection(tmp_path):
    folder = tmp_path / "c"
    with tk.open_collection(folder, create=True) as opened:
        metadata = [{"topic": "car", "year": 1}, {"topic": "car", "year": 2}, {"year": 1}, {"year": 2}]
        opened.add(TEXTS, ids=[f"t{place}" for place in range(4)], metadata=metadata)
    return folder


def test_a_sequence_a_file_and_a_collection_give_the_same(table, collection, tmp_path):
    one = tk.cluster(TEXTS, threshold=0.7)
    assert one.labels.tolist() == [1, 1, 0, 0]
    two = tk.cluster(table, threshold=0.7, gold="topic", out=tmp_path / "groups.tsv")
    three = tk.cluster(collection, threshold=0.7, gold="topic")
    with tk.open_collection(collection) as opened:
        four = tk.cluster(opened, threshold=0.7)
    assert two.rows() == three.rows() == four.rows()
    assert [row["text"] for row in one.rows()] == [row["text"] for row in two.rows()]
    assert two.gold == three.gold
    assert (two.gold.texts, two.gold.unknown) == (2, 2)
    lines = (tmp_path / "groups.tsv").read_text().splitlines()
    assert lines[0] == "id\tgroup\tis_central\tsimilarity\ttext"
    assert lines[1].startswith("t1\t1\tyes\t1.0\t")
    assert lines[-1].split("\t")[1:4] == ["", "no", ""]


def test_a_collection_is_not_encoded_again(collection, monkeypatch):
    def refuse(*_):
        raise AssertionError("a model was opened")

    monkeypatch.setattr("textkin.collection.collection_model.CollectionModel.opened", refuse)
    assert tk.cluster(collection, threshold=0.7, where="year = 1").ids == ("t0", "t2")


def test_what_is_gone_or_changed_in_a_collection_counts_no_more(collection):
    with tk.open_collection(collection) as opened:
        opened.remove(["t1"])
        opened.add(["Do you sell any bread?"], ids=["t2"])
        found = tk.cluster(opened, threshold=0.7)
    assert set(found.ids) == {"t0", "t2", "t3"}
    assert {found.ids[place] for place in np.flatnonzero(found.labels)} == {"t2", "t3"}


@pytest.mark.slow
def test_the_threshold_may_come_from_a_decision(tmp_path, collection):
    pairs = [(f"a {n} car", f"the {n} car", 1) for n in range(30)]
    pairs += [(f"a {n} car", f"some {n} bread and water", 0) for n in range(30)]
    table = tmp_path / "pairs.tsv"
    table.write_text("".join(f"{a}\t{b}\t{label}\n" for a, b, label in pairs))
    assert main(["calibrate", "default", str(table), "--out", str(tmp_path / "decision.json")]) == 0
    at = tmp_path / "decision.json"
    one, other = tk.cluster(TEXTS, decision=at), tk.cluster(collection, decision=at)
    assert one.threshold == other.threshold
    assert one.chosen.startswith("that of the decision")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"gold": "topic"}, "gold is"),
        ({"gold": ["a"]}, "gold is"),
        ({"gold": dict.fromkeys(range(4), "a")}, "gold is"),
        ({"gold": [None] * 4}, "no text has a known group"),
        ({"where": "a = 1"}, "where doesn't apply"),
        ({"out": "groups.xlsx"}, "out is"),
        ({"embeddings": np.full((4, 2), np.nan, dtype=np.float32)}, "not finite"),
        ({"embeddings": np.ones((4, 2)), "unknown": "accept"}, "unknown doesn't apply"),
    ],
)
def test_what_does_not_go_with_texts_is_refused(given, says):
    with pytest.raises(tk.TextkinError, match=says):
        tk.cluster(TEXTS, **{"threshold": 0.7, **given})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"gold": "colour"}, "no entry has the field 'colour'"),
        ({"gold": ["a", "b"]}, "gold is"),
        ({"where": "year = 9"}, "no entry that fits"),
        ({"embeddings": np.ones((4, 2), dtype=np.float32)}, "embeddings doesn't apply"),
        ({"model": "no/such"}, "no/such"),
    ],
)
def test_what_does_not_go_with_a_collection_is_refused(given, says, collection):
    with pytest.raises(tk.TextkinError, match=says):
        tk.cluster(collection, **{"threshold": 0.7, **given})


def test_a_file_is_not_overwritten_by_its_groups(table):
    before = table.read_bytes()
    with pytest.raises(tk.TextkinError) as error:
        tk.cluster(table, threshold=0.7, out=table)
    assert error.value.params == ("out",)
    assert table.read_bytes() == before


def test_a_frame_keeps_its_index():
    frames = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = frames.DataFrame({"text": TEXTS, "topic": ["car", "car", None, "food"]}, index=list("abcd"))
    found = tk.cluster(frame, threshold=0.7, text="text", gold="topic")
    assert frame.assign(group=found.labels)["group"].tolist() == [1, 1, 0, 0]
    assert set(found.to_pandas().query("group == 1").index) == {"a", "b"}
    assert found.gold.known == 2
    with pytest.raises(tk.TextkinError) as error:
        tk.cluster(frame, threshold=0.7, gold="colour", text="text")
    assert error.value.params == ("gold",)


def test_texts_of_one_vector_are_similar_pairs():
    texts = ["a b", "b a", "a  b", "park the car here", "park a car here", "weather"]
    found = tk.cluster(texts, threshold=0.9)
    mined = tk.mine(texts, threshold=0.9)
    assert found.pairs == mined.about.pairs == 4
