"""A collection's fit to judged queries, against its definitions."""

import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

import textkin as tk
from tests.collection.making import Letters, Shared, judged
from tests.reference import fusing
from tests.reference import relevance as slow
from textkin.base.errors import DataError, LeakError, ModelError, TextkinError, UsageError
from textkin.collection.calibration.calibrate import FitOptions, calibrate_collection
from textkin.collection.calibration.fitted_search import FITTED, FittedSearch, fitted_of
from textkin.collection.calibration.judged_queries import judged_queries
from textkin.collection.search.options import SearchOptions
from textkin.collection.search.reranker import Reranker
from textkin.collection.search.search_file import search_file
from textkin.data.records import Qrels
from textkin.models.provenance import hash_of_scorer
from textkin.verbs.evaluate.measure_run import measure

ENTRIES, QUERIES, QRELS = judged()
K = 5


def made(folder):
    opened = tk.open_collection(folder, model=Letters(), create=True)
    opened.add(ENTRIES)
    return opened


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calibrated") / "c"
    with made(folder) as opened:
        found = opened.calibrate(QRELS, queries=QUERIES, k=K)
    return folder, found


@pytest.fixture
def opened(calibrated):
    with tk.open_collection(calibrated[0], model=Letters()) as found:
        yield found


def rankings_of(opened, query):
    """The scores by words and by vectors of the first hits of each."""
    return [
        {hit.entry_id: hit.score for hit in opened.search(query, k=100, mode=mode).hits[0]}
        for mode in ("words", "vectors")
    ]


@pytest.mark.slow
def test_figures_of_rankings(tmp_path, calibrated):
    answerable = Qrels.from_dict({q: own for q, own in QRELS.to_dict().items() if max(own.values())})
    table = tmp_path / "queries.tsv"
    lines = [f"{name}\t{text}" for name, text in QUERIES.items()]
    table.write_text("\n".join(["id\ttext", *lines]) + "\n")
    found = calibrated[1].crossed.rankings
    with made(tmp_path / "c") as plain:
        for mode, name in (("words", "words"), ("vectors", "vectors"), ("hybrid", "reciprocal ranks")):
            run = tmp_path / f"{mode}.trec"
            search_file(plain, table, run, SearchOptions(k=10, mode=mode))
            [expected] = measure(run, qrels=answerable, measures=["nDCG@10"]).figures.values()
            assert found[name].value == pytest.approx(expected.value)
    assert found["weighted"].value > 0.9 * max(found["words"].value, found["vectors"].value)
    assert calibrated[1].crossed.relevant == 60


@pytest.mark.slow
@pytest.mark.parametrize("query", ["ice snow bread", "train", "sea page song drum"])
def test_probabilities_by_their_definition(calibrated, opened, query):
    fitted = calibrated[1].fitted
    rule, model = fitted.combination, fitted.relevance.model
    rankings = [{"q": scores} for scores in rankings_of(opened, query)]
    pooled = {name for scores in rankings for name in scores["q"]}
    scores = {
        name: sum(
            weight * (scores["q"].get(name, min(scores["q"].values())) - location) / scale
            for scores, weight, location, scale in zip(
                rankings, rule.weights, rule.locations, rule.scales, strict=True
            )
        )
        for name in pooled
    }
    single = {name: float(np.float32(score)) for name, score in scores.items()}
    best = fusing.decided(single, rankings[1]["q"], K)

    def logistic(values, of):
        parts = zip(values, of.locations, of.scales, of.weights, strict=True)
        logit = of.intercept + sum(weight * (one - mean) / scale for one, mean, scale, weight in parts)
        return 1 / (1 + math.exp(-logit))

    expected = [
        logistic(slow.features(rankings, "q", len(query.split()), name, 100), model.hit) for name in best
    ]
    found = opened.search(query, k=K + 3)
    hits = found.hits[0]
    assert [hit.entry_id for hit in hits[:K]] == best
    assert [hit.score for hit in hits[:K]] == pytest.approx([scores[name] for name in best], rel=1e-5)
    assert [hit.probability for hit in hits[:K]] == pytest.approx(expected, rel=1e-4, abs=1e-9)
    assert [hit.probability for hit in hits[K:]] == [None] * 3
    assert found.answered[0] == pytest.approx(
        logistic(slow.query_features(expected), model.answer), rel=1e-4, abs=1e-6
    )
    assert "fitted weights" in found.ranked_by
    few = opened.search(query, k=2)
    assert few.answered == found.answered and few.hits[0] == hits[:2]


@pytest.mark.slow
def test_hits_that_are_too_improbable_are_left_out(opened):
    known = opened.search("ice snow bread", k=K)
    told = sorted(hit.probability for hit in known.hits[0])
    found = opened.search("ice snow bread", k=K, min_probability=told[2])
    assert [hit.probability for hit in found.hits[0]] == [
        hit.probability for hit in known.hits[0] if hit.probability >= told[2]
    ]
    assert [row["probability"] for row in found.rows()] == [hit.probability for hit in found.hits[0]]
    none = opened.search("ice snow bread", k=K, min_probability=1.0)
    assert none.hits == ((),) and none.answered == known.answered
    assert "nothing here answers this; the probability" in str(none)


def test_what_nobody_has_fitted(places, opened):
    with made(places / "c") as plain:
        with pytest.raises(UsageError) as error:
            plain.search("ice", min_probability=0.5)
        assert error.value.params == ("min_probability",)
        found = plain.search("ice")
        assert found.answered == (None,) and found.hits[0][0].probability is None
        assert "reciprocal ranks" in found.ranked_by
    with pytest.raises(UsageError) as error:
        opened.search("ice", min_probability=0.5)
    assert error.value.params == ("k",)
    with pytest.raises(UsageError) as error:  # the weights were fitted with BM25's defaults
        opened.search("ice", k=K, bm25="k1=0.9")
    assert error.value.params == ("bm25",)
    assert opened.search("ice", k=K, bm25="k1=1.5") == opened.search("ice", k=K)
    with pytest.raises(UsageError) as error:
        opened.search("ice", mode="words", min_probability=0.5)
    assert error.value.params == ("min_probability",)
    with pytest.raises(UsageError) as error:
        opened.search("ice", min_probability=2)
    assert (error.value.params, error.value.value) == (("min_probability",), 2)
    assert opened.search("ice", mode="words").answered == (None,)


def test_it_goes_where_the_folder_goes_but_not_to_another_model(tmp_path, calibrated, opened):
    folder, found = calibrated
    shutil.copytree(folder, tmp_path / "copy")
    with tk.open_collection(tmp_path / "copy", model=Letters()) as copy:
        assert copy.search("ice snow", k=3).hits == opened.search("ice snow", k=3).hits
        assert fitted_of(copy.store) == found.fitted
        copy.store.note_fact("model", {"name": "another", "sha256": None})
        with pytest.raises(ModelError, match="another model than the collection"):
            fitted_of(copy.store)
        copy.store.note_fact("model", {"name": "letters", "sha256": None})
        copy.store.note_fact("analyser", "english")
        with pytest.raises(ModelError, match="another analyser than"):
            copy.search("ice")
        copy.store.note_fact("analyser", "plain")
        values = copy.store.fact(FITTED)
        for damage in (
            {"format": 9},
            {"relevance": 3},
            {"rankings": None},
            {"combination": {"by": "linear"}},
        ):
            copy.store.note_fact(FITTED, {**values, **damage})
            with pytest.raises(ModelError):
                copy.search("ice")
    assert FittedSearch.from_dict(values) == found.fitted


@pytest.mark.slow
def test_the_order_of_rows_decides_nothing(tmp_path):
    given = QRELS.to_dict()
    backwards = {query: dict(reversed(given[query].items())) for query in reversed(given)}
    with made(tmp_path / "c") as opened:
        found = [
            opened.calibrate(qrels, queries=queries, k=K)
            for qrels, queries in (
                (QRELS, QUERIES),
                (Qrels.from_dict(backwards), dict(reversed(QUERIES.items()))),
            )
        ]
    assert found[0].fitted == found[1].fitted
    assert found[0].crossed.rankings == found[1].crossed.rankings
    assert found[0].crossed.relevance.figures == found[1].crossed.relevance.figures


@pytest.mark.slow
def test_judgements_and_queries_come_as_other_verbs_take_them(tmp_path):
    frames = pytest.importorskip("pandas")
    place, given = tmp_path / "c", QRELS.to_dict()
    tk.add(place, ENTRIES)
    rows = [(query, name, value) for query, of in given.items() for name, value in of.items()]
    table = frames.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    texts = frames.DataFrame({"query_id": list(QUERIES), "text": list(QUERIES.values())})
    found = [
        tk.calibrate(data, place, queries=queries, resamples=20).fitted.combination
        for data, queries in ((QRELS, QUERIES), (given, texts), (table, texts))
    ]
    assert found[0] == found[1] == found[2]
    for model, queries in (("default", texts), (place, ["ice"])):
        with pytest.raises(TextkinError):
            tk.calibrate(given, model, queries=queries)
    with tk.open_collection(place) as opened, pytest.raises(UsageError):
        opened.calibrate(QRELS, queries=texts)


@pytest.mark.slow
def test_judgements_of_entries_that_are_not_there(places):
    given = QRELS.to_dict()
    given["q1"]["nowhere"] = 1
    with made(places / "c") as opened:
        found = opened.calibrate(Qrels.from_dict(given), queries={**QUERIES, "unjudged": "ice"})
        assert found.crossed.absent == 1 and found.crossed.queries == 80
        assert "1 judgements of entries that are not there" in str(found)
        few = {name: text for name, text in QUERIES.items() if name != "q1"}
        assert opened.calibrate(QRELS, queries=few).textless == 1
        with pytest.raises(DataError, match="has a text"):
            opened.calibrate(QRELS, queries={"x": "ice"})
        with pytest.raises(DataError, match="no judged query of judgements has a relevant entry"):
            opened.calibrate(Qrels.from_dict({"q1": {"nowhere": 1}}), queries=QUERIES)
        for wrong in ({"k": 0}, {"k": 101}, {"split": "train"}, {"queries": None}):
            with pytest.raises(UsageError):
                opened.calibrate(QRELS, **{"queries": QUERIES, **wrong})


@pytest.mark.slow
def test_test_queries(tmp_path):
    _, others, qrels = judged(queries=60, seed=5)
    both = {**{f"t{name}": text for name, text in others.items()}, "q1": QUERIES["q1"]}
    judgements = {f"t{name}": own for name, own in qrels.to_dict().items()} | {"q1": QRELS.to_dict()["q1"]}
    learn = judged_queries(QRELS, QUERIES)
    test = judged_queries(Qrels.from_dict(judgements), both)
    with made(tmp_path / "c") as opened:
        found = calibrate_collection(opened.store, opened.model, learn, options=FitOptions(test=test))
        assert (found.learnt, found.test.queries) == (1, 60)
        of_hits = found.test.relevance.figures["relevant"].value
        assert 0 < of_hits < 0.2
        assert {row["queries"] for row in found.rows()} == {"judgements, cross-validated", "test"}
        with pytest.raises(LeakError):
            calibrate_collection(
                opened.store, opened.model, learn, options=FitOptions(test=replace(learn, name="test"))
            )


def test_a_reranker(tmp_path, opened):
    shared = Shared()
    with made(tmp_path / "c") as plain:
        first = plain.search("ice snow bread", k=20)
        found = plain.search("ice snow bread", k=3, rerank=shared, rerank_depth=20)
        pairs = [("ice snow bread", hit.text) for hit in first.hits[0]]
        scores = dict(zip([hit.entry_id for hit in first.hits[0]], shared.score(pairs).tolist(), strict=True))
        best = sorted(scores, key=lambda name: (scores[name], name.encode()), reverse=True)[:3]
        assert [hit.entry_id for hit in found.hits[0]] == best
        assert found.hits[0][0].score == scores[best[0]]
        assert "the first 20 reranked by shared" in found.ranked_by
        by_words = plain.search("ice", k=3, mode="words", rerank=shared).hits[0]
        scored = [(shared.score([("ice", hit.text)])[0], hit.entry_id) for hit in by_words]
        assert scored == sorted(scored, reverse=True)
        with pytest.raises(UsageError) as error:
            plain.search("ice", rerank=shared, rerank_depth=5)
        assert error.value.params == ("rerank_depth",)
        with pytest.raises(UsageError) as error:
            plain.search("ice", rerank="bm25")
        assert error.value.params == ("rerank",)
    with pytest.raises(UsageError) as error:
        opened.search("ice", k=3, rerank=shared, min_probability=0.1)
    assert error.value.params == ("min_probability",)
    assert opened.search("ice", rerank=shared).answered == (None,)
    assert "fitted weights" in opened.search("ice", rerank=shared).ranked_by


@pytest.mark.slow
def test_weights_with_a_reranker(tmp_path):
    shared, query = Shared(), "ice snow bread"
    with made(tmp_path / "c") as opened:
        opened.calibrate(QRELS, queries=QUERIES)
        first = {hit.entry_id: hit for hit in opened.search(query, k=20).hits[0]}
        found = opened.calibrate(QRELS, queries=QUERIES, rerank=shared, rerank_depth=20)
        by = found.fitted.reranking
        assert found.crossed.rankings["weighted with reranker"].value > 0.5
        assert sum(by.weights) == pytest.approx(1) and min(by.weights) >= 0
        words, vectors = rankings_of(opened, query)
        expected = {}
        for name, hit in first.items():
            scores = (
                words.get(name, min(words.values())),
                vectors.get(name, min(vectors.values())),
                float(np.float32(shared.score([(query, hit.text)])[0])),
            )
            parts = zip(by.weights, scores, by.locations, by.scales, strict=True)
            expected[name] = sum(weight * (score - mean) / scale for weight, score, mean, scale in parts)
        hits = opened.search(query, k=20, rerank=shared, rerank_depth=20)
        assert {hit.entry_id: hit.score for hit in hits.hits[0]} == pytest.approx(expected)
        assert [hit.score for hit in hits.hits[0]] == pytest.approx(sorted(expected.values(), reverse=True))
        for hit in hits.hits[0]:
            assert hit.reranker == pytest.approx(shared.score([(query, hit.text)])[0])
        assert f"reranked by shared, by fitted weights ({found.fitted.reranking_in_words})" in hits.ranked_by
        alone = opened.search(query, mode="vectors", rerank=shared, rerank_depth=20).hits[0]
        assert all(hit.score == hit.reranker for hit in alone)


def test_a_reranker_is_known_by_its_scores_and_not_by_its_name():
    class Long(Shared):
        def score(self, pairs):
            return np.array([len(b) for _, b in pairs], np.float32)

    assert Long.name == Shared.name
    assert Reranker(Shared()).sha256 == Reranker(Shared()).sha256 != Reranker(Long()).sha256
    assert Reranker(tk.load("default")).sha256 == Reranker("default").sha256 == hash_of_scorer("default")


def test_a_threshold_that_no_hit_reaches_is_not_taken_for_no_answer(opened):
    asked = next(one for one in QUERIES.values() if (opened.search(one, k=K).answered[0] or 0) > 0.5)
    found = opened.search(asked, k=K, min_probability=1.0)
    likely = opened.search(asked, k=K).answered[0]
    assert found.remarks == (
        f"no hit has a probability of 1 or more; that of any answer here is {likely:.2f}",
    )


def test_a_fit_of_before_has_no_weights_with_a_reranker(calibrated):
    values = calibrated[1].fitted.to_dict()
    del values["reranking"]
    assert FittedSearch.from_dict(values) == calibrated[1].fitted
    with pytest.raises(ModelError, match="has format 9, expected 1; calibrate"):
        FittedSearch.from_dict({**values, "format": 9})


def test_queries_in_other_signs_are_no_test(opened):
    learn = judged_queries(QRELS, QUERIES)
    same = replace(learn, queries={name: f" {text.upper()}?" for name, text in learn.queries.items()})
    with pytest.raises(LeakError):
        same.without(learn)


def test_the_depth_of_reranking_needs_a_reranker(opened):
    for call in (
        lambda: opened.search("ice", rerank_depth=20),
        lambda: opened.calibrate(QRELS, queries=QUERIES, rerank_depth=20),
    ):
        with pytest.raises(UsageError) as error:
            call()
        assert error.value.params == ("rerank_depth",)
    with pytest.raises(UsageError) as error:
        opened.calibrate(QRELS, queries=QUERIES, rerank=Shared(), rerank_depth=0)
    assert error.value.params == ("rerank_depth",)


@pytest.mark.slow
def test_a_reranker_that_knows_nothing_gets_no_weight(tmp_path):
    with made(tmp_path / "c") as opened:
        plain = opened.calibrate(QRELS, queries=QUERIES)
        found = opened.calibrate(QRELS, queries=QUERIES, rerank="random", rerank_depth=20)
        assert found.fitted.reranking.weights[2] < 0.2
        figures = found.crossed.rankings
        assert figures["reranker"].value < 0.7 * figures["weighted"].value
        assert figures["weighted with reranker"].value > 0.95 * figures["weighted"].value
        assert figures["weighted"].value == plain.crossed.rankings["weighted"].value


@pytest.mark.slow
def test_probabilities_with_a_reranker(tmp_path):
    shared = Shared()
    with made(tmp_path / "c") as opened:
        plain = opened.calibrate(QRELS, queries=QUERIES)
        found = opened.calibrate(QRELS, queries=QUERIES, rerank=shared, rerank_depth=20)
        assert found.fitted.relevance.model.features[8] == "reranker: score"
        assert found.crossed.rankings["reranker"].value > 0.5
        hits = opened.search("ice snow bread", rerank=shared, rerank_depth=20, min_probability=0.0)
        assert len(hits.hits[0]) == 10 and 0 < hits.answered[0] < 1
        assert opened.search("ice snow", rerank=shared, rerank_depth=30).answered == (None,)
        other = Shared()
        other.name = "other"
        assert opened.search("ice snow", rerank=other, rerank_depth=20).answered == (None,)
        assert fitted_of(opened.store) == plain.fitted  # both are kept
        broken = Shared()
        broken.score = lambda pairs: np.full(len(pairs), np.nan)
        with pytest.raises(TextkinError) as error:
            opened.search("ice", rerank=broken)
        assert error.value.params == ("shared.score",)


def test_answers_say_what_probabilities_were_fitted_to(opened):
    told = opened.search("ice snow").ranked_by
    assert told.endswith("; probabilities fitted at 90 entries")
    told = opened.search("ice snow", where="not x exists").ranked_by
    assert told.endswith(
        "; probabilities fitted at 90 entries, without the filter, behind which they may be off"
    )
    assert "probabilities" not in opened.search("ice snow", mode="words", where="not x exists").ranked_by


def more(count, begin=0):
    return [
        tk.Entry(f"new{number}", f"quite another text {number}") for number in range(begin, begin + count)
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda notes: notes.add(more(22)), ""),
        (lambda notes: notes.add(more(23)), "it had 90 entries then; since, 23 are new"),
        (lambda notes: notes.remove([f"e{one}" for one in range(22)]), ""),
        (lambda notes: notes.remove([f"e{one}" for one in range(23)]), "since, 23 are gone"),
        (
            lambda notes: notes.add([tk.Entry(f"e{one}", f"changed {one}") for one in range(30)]),
            "since, 30 are new and 30 are gone",
        ),
        (lambda notes: [notes.add([tk.Entry("e1", f"again {n}")]) for n in range(40)], ""),  # one of them
        (lambda notes: notes.add([replace(one, metadata={"x": 1}) for one in ENTRIES]), ""),
    ],
)
def test_a_collection_that_has_changed_much_is_told_once(tmp_path, calibrated, capsys, change, told):
    folder = shutil.copytree(calibrated[0], tmp_path / "c")
    with tk.open_collection(folder, model=Letters()) as notes:
        change(notes)
        for _ in range(2):
            notes.search("ice snow")
        err = capsys.readouterr().err
        if not told:
            assert "warning" not in err
        else:
            assert err.count("warning: probabilities and weights of searches were fitted to") == 1
            assert told in err


def test_what_was_noted_is_read_again(calibrated, opened):
    fitted = fitted_of(opened.store)
    assert fitted.change == opened.store.counter() and fitted.entries == len(ENTRIES)
    assert FittedSearch.from_dict(fitted.to_dict()) == fitted


@pytest.mark.slow
def test_where_all_queries_are_answered_that_is_told(places, calibrated):
    told = "what no entry answers was not learnt"
    found = calibrated[1]
    assert not any(told in line for line in found.said())
    crossed = replace(found.crossed, relevant=found.crossed.queries)
    assert any(told in line for line in replace(found, crossed=crossed).said())
    only = {name: own for name, own in QRELS.to_dict().items() if max(own.values())}
    with made(places / "c") as notes, pytest.raises(DataError, match="judge queries that nothing answers"):
        notes.calibrate(Qrels.from_dict(only), queries=QUERIES, k=50)
