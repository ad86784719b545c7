from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.reference import trec
from textkin.base.errors import DataError
from textkin.data.records import Qrels, Run
from textkin.measures.metrics.measure_names import Measure, expand, parse
from textkin.measures.metrics.ranked import evaluate

# Ids of several lengths and scripts, some of them prefixes of others; many equal scores.
IDS = st.sampled_from(
    ["D0-9", "D0-10", "D0-1", "a", "ab", "abcdefgh", "abcdefghi", "é", "漢字", "z" * 17, "z" * 16 + "y"]
)
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 0.5 + 1e-9, 1.0, -1.0, 1e-3]),
    st.floats(-1e30, 1e30, allow_nan=False).map(float),
)
LEVELS = st.integers(-1, 4)
QUERIES = st.sampled_from(["1", "2", "10", "q", "ü"])
JUDGED = st.dictionaries(IDS, LEVELS, min_size=1)
QRELS = st.dictionaries(QUERIES, JUDGED, min_size=1)
# The C code reads memory that it never wrote when all judgements of a query are negative.
SAFE_QRELS = st.dictionaries(QUERIES, JUDGED.filter(lambda judged: max(judged.values()) >= 0), min_size=1)
RUNS = st.dictionaries(QUERIES, st.dictionaries(IDS, SCORES, min_size=1), min_size=1)

OFFICIAL = {
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "map": "MAP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "MRR",
    "ndcg": "nDCG",
}
CUTS = {
    "P_": "P",
    "recall_": "R",
    "success_": "Success",
    "ndcg_cut_": "nDCG",
    "map_cut_": "MAP",
    "iprec_at_recall_": "IPrec",
}
ASKED = {
    "official",
    "ndcg",
    "P.1,2,3,5,10",
    "recall.1,2,3,5,10",
    "success.1,2,3",
    "ndcg_cut.1,2,3,5,10",
    "map_cut.1,2,5",
}


def of(key: str) -> str:
    """textkin's name for one of trec_eval's metrics."""
    if key in OFFICIAL:
        return OFFICIAL[key]
    prefix = next(prefix for prefix in CUTS if key.startswith(prefix))
    return f"{CUTS[prefix]}@{float(key.removeprefix(prefix)):g}"


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(SAFE_QRELS, RUNS, st.integers(1, 3))
@example({"1": {"a": 0}, "2": {"a": 1}}, {"1": {"a": 1.0}}, 1)
def test_equals_the_c_code(qrels: dict, run: dict, rel: int) -> None:
    theirs = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=rel).evaluate(run)
    keys = sorted(next(iter(theirs.values()), {}).keys() - {"runid", "gm_map"})
    levelled = {
        key: Measure(m.name, m.cutoff, 1 if m.name in ("nDCG", "NumQ", "NumRet") else rel)
        for key in keys
        for m in [parse(of(key))]
    }
    gmap = Measure("GMAP", None, rel)
    result = evaluate(Run.from_dict(run), Qrels.from_dict(qrels), [*levelled.values(), gmap])
    assert result.query_ids == tuple(qrels)
    assert result.missing == tuple(query for query in qrels if query not in run)
    assert result.unjudged == tuple(query for query in run if query not in qrels)
    for index, query in enumerate(qrels):
        for key, measure in levelled.items():
            wanted = (
                theirs[query][key]
                if query in run
                else trec.value(measure.name, measure.cutoff, rel, {}, qrels[query])
            )
            assert result.values[measure][index] == pytest.approx(wanted, abs=1e-9), (query, key)
        if query in run:
            assert np.log(result.values[gmap][index]) == pytest.approx(theirs[query]["gm_map"], abs=1e-9)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(QRELS, RUNS, st.integers(1, 3))
def test_equals_the_plain_rules(qrels: dict, run: dict, rel: int) -> None:
    names = [
        "MAP",
        "MAP@2",
        "MRR@2",
        "MRR",
        "nDCG@3",
        "P@4",
        "R@1",
        "Success@2",
        "Rprec",
        "Bpref",
        "IPrec@0.33",
        "NumRelRet",
        "GMAP",
    ]
    measures = [Measure(m.name, m.cutoff, 1 if m.name == "nDCG" else rel) for m in map(parse, names)]
    result = evaluate(Run.from_dict(run), Qrels.from_dict(qrels), measures)
    for measure in measures:
        wanted = [
            trec.value(measure.name, measure.cutoff, rel, run.get(query, {}), qrels[query]) for query in qrels
        ]
        np.testing.assert_allclose(result.values[measure], wanted, atol=1e-12, err_msg=str(measure))


WIDE_LEVELS = st.sampled_from([-1, 0, 1, 2, 7, 10**6, 2**40, 2**62])


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.dictionaries(QUERIES, st.dictionaries(IDS, WIDE_LEVELS, min_size=1), min_size=1), RUNS)
@example({"1": {"a": 2**40, "ab": 7}, "2": {"a": 1}}, {"1": {"ab": 1.0}})
def test_levels_far_apart_have_the_gains_of_the_plain_rules(qrels: dict, run: dict) -> None:
    result = evaluate(Run.from_dict(run), Qrels.from_dict(qrels), [Measure("nDCG"), Measure("nDCG", 3)])
    for measure, values in result.values.items():
        wanted = [trec.value("nDCG", measure.cutoff, 1, run.get(query, {}), qrels[query]) for query in qrels]
        np.testing.assert_allclose(values, wanted, atol=1e-12)


def figures(names: list[str], ranked: list[str], judged: dict[str, int]) -> list[float]:
    run = {"q": {doc: float(-rank) for rank, doc in enumerate(ranked)}}
    result = evaluate(Run.from_dict(run), Qrels.from_dict({"q": judged}), [parse(name) for name in names])
    return [result.figure(parse(name)) for name in names]


def test_worked_examples() -> None:
    assert figures(["MAP", "nDCG@3"], ["x", "y", "z"], {"x": 1, "y": 0, "z": 1}) == pytest.approx(
        [0.83333, 0.91972], abs=5e-6
    )
    assert figures(["Bpref"], ["n1", "r1", "n2", "r2"], {"r1": 1, "r2": 1, "n1": 0, "n2": 0, "n3": 0}) == [
        0.25
    ]


@pytest.mark.parametrize(("total", "recall", "needed"), [(3, 0.7, 2), (3, 0.4, 2), (4, 0.1, 1), (1, 0.1, 1)])
def test_interpolated_precision_needs_what_version_9_needs(total: int, recall: float, needed: int) -> None:
    # Relevant documents are at ranks 1, 3, 5, ...: the best precision from the n-th on is n / (2 n - 1) or
    # more.
    ranked = [f"{'n' if rank % 2 else 'r'}{rank}" for rank in range(2 * total)]
    [got] = figures([f"IPrec@{recall}"], ranked, {doc: 1 for doc in ranked if doc[0] == "r"})
    assert got == pytest.approx(max(n / (2 * n - 1) for n in range(needed, total + 1)))


def test_figures_of_all_queries() -> None:
    qrels = Qrels.from_dict({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}})
    run = Run.from_dict({"1": {"a": 1.0, "b": 2.0}, "3": {"a": 1.0}, "9": {"a": 1.0}})
    result = evaluate(run, qrels, expand(["map", "gm_map", "num_q", "num_ret"]))
    assert [result.figure(measure) for measure in result.values] == pytest.approx(
        [0.5, (0.5 * 1e-5) ** (1 / 3), 3, 3]
    )
    assert (result.missing, result.unjudged) == (("2",), ("9",))


def test_same_document_in_many_queries_is_not_confused() -> None:
    rng = np.random.default_rng(0)
    queries, docs = [f"q{i}" for i in range(300)], [f"d{i}" for i in range(60)]
    run = {q: dict(zip(docs, rng.integers(0, 20, len(docs)).tolist(), strict=True)) for q in queries}
    qrels = {
        q: {d: int(rng.integers(-1, 3)) for d in rng.choice(docs, 25, replace=False).tolist()}
        for q in reversed(queries)
    }
    result = evaluate(Run.from_dict(run), Qrels.from_dict(qrels), expand(["map", "bpref"]))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "bpref"}).evaluate(run)
    for measure, key in zip(result.values, ("map", "bpref"), strict=True):
        np.testing.assert_allclose(result.values[measure], [theirs[q][key] for q in qrels], atol=1e-12)


def test_nothing_in_common() -> None:
    qrels = Qrels.from_dict({"1": {"a": 1}})
    for run in ({"1": {"b": 1.0}}, {"2": {"a": 1.0}}, {}):
        result = evaluate(Run.from_dict(run), qrels, expand(["official", "ndcg"]))
        assert (
            result.figure(parse("MAP"))
            == result.figure(parse("nDCG"))
            == result.figure(parse("IPrec@0"))
            == 0
        )


def test_refuses_what_can_not_be_measured() -> None:
    with pytest.raises(DataError, match="no judged queries"):
        evaluate(Run.from_dict({"1": {"a": 1.0}}), Qrels.from_dict({}), [parse("MAP")])
    with pytest.raises(DataError) as error:
        run = Run.from_dict({"1": {}, "2": {"a": 0.5}})
        evaluate(replace(run, scores=np.array([np.nan])), Qrels.from_dict({"1": {"a": 1}}), [parse("MAP")])
    assert (error.value.params, error.value.value) == (("textkin",), ("2", "a"))
