from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.measures.metrics.measure_names import Measure, expand, parse

NEEDS_DEPTH = st.sampled_from(["P", "R", "Success"])
MAY_CUT = st.sampled_from(["MAP", "MRR"])
PLAIN = st.sampled_from(["Rprec", "Bpref", "GMAP", "NumRel", "NumRelRet"])
LEVEL = st.integers(1, 9)
DEPTH = st.integers(1, 10**7)
MEASURES = st.one_of(
    st.builds(Measure, NEEDS_DEPTH, DEPTH, LEVEL),
    st.builds(Measure, MAY_CUT, st.none() | DEPTH, LEVEL),
    st.builds(Measure, PLAIN, st.none(), LEVEL),
    st.builds(Measure, st.just("IPrec"), st.floats(0, 1), LEVEL),
    st.builds(Measure, st.just("nDCG"), st.none() | DEPTH),
)


@given(MEASURES)
def test_its_text_parses_back(measure: Measure) -> None:
    assert parse(str(measure)) == measure
    assert repr(measure) == str(measure)


@given(st.text(max_size=12))
def test_any_other_text_is_a_usage_error(text: str) -> None:
    with contextlib.suppress(UsageError):
        expand([text])


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("nDCG@10", Measure("nDCG", 10)),
        ("P(rel=2)@5", Measure("P", 5, 2)),
        ("IPrec@0.1", Measure("IPrec", 0.1)),
        ("ndcg@10", Measure("nDCG", 10)),
        ("map", Measure("MAP")),
        ("MAP", Measure("MAP")),
        ("gm_map", Measure("GMAP")),
        ("recip_rank", Measure("MRR")),
        ("iprec_at_recall_0.10", Measure("IPrec", 0.1)),
        ("P_5", Measure("P", 5)),
        ("recall_100", Measure("R", 100)),
        ("success_1", Measure("Success", 1)),
        ("ndcg", Measure("nDCG")),
        ("ndcg_cut_10", Measure("nDCG", 10)),
        ("map_cut_100", Measure("MAP", 100)),
        ("num_rel_ret", Measure("NumRelRet")),
    ],
)
def test_parse(text: str, measure: Measure) -> None:
    assert parse(text) == measure


def test_names_that_stand_for_several() -> None:
    assert list(map(str, expand(["P.5,10", "ndcg_cut.5,10", "P_10"]))) == ["P@5", "P@10", "nDCG@5", "nDCG@10"]
    assert list(map(str, expand(["success"]))) == ["Success@1", "Success@5", "Success@10"]
    official = list(map(str, expand(["official"])))
    assert len(official) == 29
    assert official[:6] == ["NumQ", "NumRet", "NumRel", "NumRelRet", "MAP", "GMAP"]
    assert {"IPrec@0", "IPrec@0.1", "IPrec@0.3", "IPrec@1", "P@5", "P@1000"} <= set(official)
    depths = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    for name, ours in (("P", "P"), ("recall", "R"), ("ndcg_cut", "nDCG"), ("map_cut", "MAP")):
        assert list(map(str, expand([name]))) == [f"{ours}@{depth}" for depth in depths]
    recalls = ["0", *(f"0.{tenth}" for tenth in range(1, 10)), "1"]
    assert list(map(str, expand(["iprec_at_recall"]))) == [f"IPrec@{recall}" for recall in recalls]
    with pytest.raises(UsageError) as error:
        parse("recall")
    assert error.value.params == ("measures",)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("ndgc_cut_10", "did you mean 'ndcg_cut_10'"),
        ("P@0", "expected P@10"),
        ("R", "expected R@10"),
        ("MAP@1.5", "expected MAP or MAP@10"),
        ("Rprec@5", "expected Rprec"),
        ("IPrec@2", "expected IPrec@0.1"),
        ("nDCG(rel=2)@5", "without (rel=...)"),
        ("MAP(rel=0)", "without (rel=...)"),
        ("qqqqqq", "expected MAP, "),
        ("nDCG@1_0", "nDCG@10"),
    ],
)
def test_what_to_write_instead(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert hint in str(caught.value)
