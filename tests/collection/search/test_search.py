"""Fused rankings by words and by vectors."""

import numpy as np
import pytest

import textkin as tk

TEXTS = ["Where can I park my car?", "When do you open?", "Is there a car park?", "Do you sell bread?"]


def test_hybrid_sums_reciprocal_ranks(places):
    with tk.open_collection(places / "notes", create=True) as notes:
        notes.add(TEXTS)
        words, vectors, both = (
            [hit.entry_id for hit in notes.search("park the car", k=4, mode=mode).hits[0]]
            for mode in ("words", "vectors", "hybrid")
        )
        found = {hit.entry_id: hit.score for hit in notes.search("park the car", k=4).hits[0]}
    expected = {
        name: sum(1 / (61 + ranking.index(name)) for ranking in (words, vectors) if name in ranking)
        for name in {*words, *vectors}
    }
    assert found == pytest.approx(expected)
    assert both == sorted(found, key=lambda name: (np.float32(found[name]), name.encode()), reverse=True)
    assert len(words) == 2 < len(both) == 4


def test_hits_tell_their_cosine_and_bm25(places):
    with tk.open_collection(places / "notes", create=True) as notes:
        notes.add(TEXTS)
        words, vectors, both = (
            {hit.entry_id: hit for hit in notes.search("park the car", k=4, mode=mode).hits[0]}
            for mode in ("words", "vectors", "hybrid")
        )
        found = notes.search("park the car", k=1)
        ((reranked,),) = notes.search("park the car", k=1, rerank="default").hits
    assert all(hit.cosine is None and hit.bm25 == hit.score for hit in words.values())
    assert all(hit.bm25 is None and hit.cosine == hit.score for hit in vectors.values())
    for name, hit in both.items():
        assert hit.cosine == pytest.approx(vectors[name].score)
        assert hit.bm25 == (pytest.approx(words[name].score) if name in words else None)
    assert both[found[0].id].cosine == found[0].cosine and found[0].bm25 is not None
    assert (reranked.cosine, reranked.bm25) == (
        both[reranked.entry_id].cosine,
        both[reranked.entry_id].bm25,
    )


@pytest.mark.parametrize(
    ("mode", "scores"), [("hybrid", ["cosine", "bm25"]), ("words", ["bm25"]), ("vectors", ["cosine"])]
)
def test_a_reranked_search_has_the_same_columns_with_and_without_hits(places, mode, scores):
    with tk.open_collection(places / "notes", create=True) as notes:
        notes.add(TEXTS, metadata=[{"place": "door"}] * 4)
        for place, hits in (("door", 1), ("elsewhere", 0)):
            found = notes.search("bread", k=1, mode=mode, rerank="default", where=f'place = "{place}"')
            columns = ["query", "rank", "score", *scores, "reranker", "id", "text"]
            assert found.to_pandas().columns.tolist() == columns
            assert len(found) == hits


def test_nothing_is_found_where_there_is_nothing(places):
    with tk.open_collection(places / "notes", create=True) as notes:
        assert notes.search("bread").hits == ((),)


@pytest.mark.parametrize("asked", ["AB-1000-X", "Windows 7", "Vitamin C"])
def test_words_of_one_letter_or_digit_decide(places, asked):
    texts = ["AB-1000-X", "AB-1000-Y", "AB-1000-Z", "Windows 7 manual", "Windows 8 manual"]
    texts += ["Vitamin C 500 mg", "Vitamin D 500 mg"]
    with tk.open_collection(places / "notes", create=True) as notes:
        notes.add(texts, ids=["p1", "p2", "p3", "q8", "q9", "p9", "q1"])
        for mode in ("hybrid", "words"):
            assert notes.search(asked, mode=mode).hits[0][0].text.startswith(asked)


def test_the_cosine_decides_between_equals_by_words(places):
    ids = [f"n{number:03}" for number in range(250)]  # more than a ranking is deep
    vectors = {name: (1.0, number / 100) for number, name in enumerate(ids, 1)}

    class ByName:
        name, dim = "by name", 2

        def encode(self, texts, *, side="document"):
            return np.array([vectors.get(text.split()[-1], (1.0, 0.0)) for text in texts], np.float32)

    with tk.open_collection(places / "notes", create=True, model=ByName()) as notes:
        notes.add([f"part {name}" for name in ids], ids=ids)
        notes.add(["nearest without the word"], ids=["other"])
        found = notes.search("part", k=4).hits[0]
    # By words, 100 ids from the other end are listed, and the 99 nearest in addition.
    assert [hit.entry_id for hit in found] == ["n000", "n001", "n002", "n003"]
    assert found[0].score == pytest.approx(1 / 62 + 1 / (60 + 100))
