"""Explanations of hits: the sums of contributions."""

import numpy as np
import pytest

import textkin as tk
from tests.collection.making import Letters, Shared, judged
from textkin.base.errors import UsageError
from textkin.data.protocols import Side
from textkin.text.baselines.analysers import analyser_of

EXACT, LEFT_OUT = "shares", "leave-one-out"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("analyser", "bm25"), [("plain", None), ("english", None), ("plain", "k1=0.9,b=0,variant=plus")]
)
def test_words_sum_to_the_score(places, analyser, bm25):
    entries, asked, _ = judged()
    with tk.open_collection(places / "c", create=True, model=Letters(), analyser=analyser) as opened:
        opened.add(entries)
        opened.remove([f"e{number}" for number in range(0, 90, 7)])
        opened.add(["The bread, the butter: bread!", "bridges and the houses"], ids=["x", "y"])
        seen = 0
        for query in (*list(asked.values())[:30], "bread and bread, the bridges", "zebra"):
            hits = opened.search(query, k=5, mode="words", bm25=bm25).hits[0]
            told = opened.explain(query, [hit.text for hit in hits], mode="words", bm25=bm25)
            for hit, one in zip(hits, told, strict=True):
                assert one.bm25 == pytest.approx(hit.score, rel=1e-6, abs=1e-6)
                assert one.cosine is None and one.reranked is None
                assert all((word.weight > 0) == held(word.token, hit.text, analyser) for word in one.words)
                seen += 1
        assert seen > 50
        [other] = opened.explain("zebra", ["no word of it"], mode="words")
        assert [(one.token, one.weight) for one in other.words] == [("zebra", 0)]


def held(word, text, analyser):
    reads = analyser_of(analyser)
    return bool(set(reads.terms(word)) & {term for one in reads.words(text) for term in reads.terms(one)})


def test_shares_sum_to_the_cosine(places):
    with tk.open_collection(places / "c", create=True) as opened:
        opened.add(["Where can I park my car?", "When do you open?", "Is there a car park?"])
        hits = opened.search("park the car", mode="vectors").hits[0]
        told = opened.explain("park the car", [hit.text for hit in hits], mode="vectors")
    assert [one.cosine.method for one in told] == [EXACT] * 3 and not told[0].words
    assert [one.cosine.shares.score for one in told] == pytest.approx([hit.score for hit in hits], abs=1e-6)


class Sided:
    """An encoder that encodes queries differently, and has contributions of documents only."""

    name, dim = "sided", 26

    def encode(self, texts, *, side=Side.DOCUMENT):
        prompt = "qqq" if side == Side.QUERY else ""
        return Letters().encode([prompt + text for text in texts])


def test_a_query_is_read_as_one(places):
    with tk.open_collection(places / "c", create=True, model=Sided()) as opened:
        opened.add(["a quiet quay", "bread"])
        hit = opened.search("quiet", k=1, mode="vectors").hits[0][0]
        [told] = opened.explain("quiet", [hit.text])
    assert told.cosine.method == LEFT_OUT
    assert told.cosine.score == pytest.approx(hit.score, abs=1e-6)
    assert told.words[0].token == "quiet" and told.bm25 > 0


def test_a_reranker_is_explained_too(places):
    with tk.open_collection(places / "c", create=True, model=Letters()) as opened:
        opened.add(["bread and butter", "butter"])
        hits = opened.search("bread butter", rerank=Shared()).hits[0]
        told = opened.explain("bread butter", [hit.text for hit in hits], rerank=Shared())
        assert [one.reranked.score for one in told] == pytest.approx([hit.score for hit in hits])
        with pytest.raises(UsageError) as error:
            opened.explain("bread", ["bread"], mode="both")
        assert error.value.params == ("mode",)
        assert opened.explain("bread", []) == ()


def test_an_empty_collection_adds_nothing(places):
    with tk.open_collection(places / "c", create=True, model=Letters()) as opened:
        [told] = opened.explain("bread", ["bread"])
    assert told.words == () and told.to_dict()["bm25"] is None
    assert np.isclose(told.cosine.score, 1)
