"""textkin compare of runs alone."""

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n"


RUN = "q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\nq9 Q0 d1 1 1.0 x\n"


@pytest.fixture
def trec(tmp_path: Path) -> tuple[str, Path, Path]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    return "--qrels", tmp_path / "qrels.txt", tmp_path / "run.txt"


def test_prints_exactly_what_it_promises(textkin: Textkin, trec: tuple[str, Path, Path]) -> None:
    found = textkin("compare", *trec, "-m", "MAP", "-m", "ndcg_cut_10", "-m", "num_q", "--json")
    assert found.code == 0
    told = found.json
    assert set(told) == {"queries", "measures"} and told["queries"] == 2
    assert list(told["measures"]) == ["MAP", "nDCG@10", "NumQ"]
    assert set(told["measures"]["MAP"]) == {"value", "low", "high"}
    figure = told["measures"]["MAP"]  # of two queries, one right and one wrong
    assert figure["value"] == 0.5 and 0 <= figure["low"] < 0.01 and 0.99 < figure["high"] <= 1


def test_warns_of_missing_and_unjudged_queries(textkin: Textkin, trec: tuple[str, Path, Path]) -> None:
    warnings = textkin("compare", *trec, "-m", "MAP", "--json").err.splitlines()
    assert warnings == [
        "textkin: warning: 1 judged query not in the run, scored as zero: q2",
        "textkin: warning: 1 query of the run without judgements, not counted: q9",
    ]


def test_takes_the_official_set_by_default(textkin: Textkin, trec: tuple[str, Path, Path]) -> None:
    told = textkin("compare", *trec, "--json").json["measures"]
    assert {"NumQ", "MAP", "GMAP", "Rprec", "Bpref", "MRR", "IPrec@0", "P@1000"} - {"IPrec@0"} <= set(told)
    shown = textkin("compare", *trec).out
    assert "MAP        " in shown and "0.0000 to 1.0000" in shown and shown.endswith("\n2 judged queries\n")


def test_lists_the_queries(textkin: Textkin, trec: tuple[str, Path, Path]) -> None:
    shown = textkin("compare", *trec, "--per-query", "-m", "map", "-m", "num_rel")
    assert shown.out.splitlines() == [
        "measure\tquery\tvalue",
        *("MAP\tq1\t1.0000", "NumRel\tq1\t1", "MAP\tq2\t0.0000", "NumRel\tq2\t1"),
        *("MAP\tall\t0.5000", "NumRel\tall\t2"),
    ]
    told = textkin("compare", *trec, "--per-query", "-m", "map", "--json").json
    assert told["per_query"] == {"q1": {"MAP": 1.0}, "q2": {"MAP": 0.0}}


@pytest.mark.slow
def test_resamples_as_it_is_told(textkin: Textkin, trec: tuple[str, Path, Path]) -> None:
    one, more = (
        textkin("compare", *trec, "-m", "MAP", "--resamples", count, "--json").json["measures"]["MAP"]
        for count in (1, 500)
    )
    assert one["low"] != more["low"]
    assert textkin("compare", *trec, "--resamples", 0).code == 2


def test_refuses_an_unknown_measure(textkin: Textkin, trec: tuple[str, Path, Path]) -> None:
    found = textkin("compare", *trec, "-m", "nDGC@10")
    assert found.code == 2 and "nDGC@10" in found.error


@pytest.fixture
def several(trec: tuple[str, Path, Path]) -> tuple[Path, Path, Path]:
    """The judgements, the run, and one that finds what the other misses."""
    other = trec[1].with_name("other.trec")
    other.write_text("q1 Q0 d2 1 2.0 x\nq1 Q0 d1 2 1.0 x\nq2 Q0 d3 1 1.0 x\n")
    return trec[1], trec[2], other


def test_several_runs_are_tested_against_one(textkin: Textkin, several: tuple[Path, Path, Path]) -> None:
    qrels, run, other = several
    runs = ("compare", "--qrels", qrels, run)
    found = textkin(*runs, f"mine={other}", "-m", "MRR", "--against", "mine", "--json").json
    assert found["measure"] == "MRR" and found["reference"] == "mine"
    rows = {row["name"]: row for row in found["systems"]["rows"]}
    assert {name: row["measures"]["MRR"]["value"] for name, row in rows.items()} == {"run": 0.5, "mine": 0.75}
    assert rows["run"]["against"]["mine"]["difference"]["value"] == -0.25
    shown = textkin(*runs, other)
    assert shown.code == 0
    assert "Differences are from run; p values are corrected" in shown.out
    assert "run: 1 judged queries are missing from the run and count as zero" in shown.out
    assert all(name in shown.out.splitlines()[0] for name in ("MAP", "MRR", "P@10", "nDCG@10"))
    written = textkin(
        *runs,
        other,
        "--json",
        "--table",
        qrels.with_name("t.tex"),
    )
    assert written.json["systems"] and "\\toprule" in qrels.with_name("t.tex").read_text()


@pytest.mark.slow
def test_what_is_for_one_run_or_for_several(textkin: Textkin, several: tuple[Path, Path, Path]) -> None:
    qrels, run, other = several
    for arguments, told in (
        ((run, other, "--per-query"), "--per-query doesn't apply to several runs"),
        ((run, "--against", "run"), "--against doesn't apply to one run"),
        ((run, "--table", "t.md"), "--table doesn't apply to one run"),
        ((run, other, "--table", "t.pdf"), "--table is 't.pdf'"),
        ((run, run), "MODELS is 'run'"),
        ((run, other, "--against", "rum"), "did you mean 'run'?"),
        ((run, other, "--predictions", "p.json"), "--qrels doesn't apply to predictions"),
    ):
        found = textkin("compare", *arguments, "--qrels", qrels)
        assert found.code == 2 and told in found.error, arguments
