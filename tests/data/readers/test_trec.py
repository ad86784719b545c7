import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import trec_lines
from textkin.base.errors import DataError
from textkin.data.readers import trec
from textkin.data.readers.trec import looks_like_qrels
from textkin.data.records import Qrels, Run

ids = st.text(
    st.characters(min_codepoint=33, blacklist_categories=("Cs", "Zs", "Cc")), min_size=1, max_size=12
)
blanks = st.sampled_from([" ", "\t", "  ", " \t "])
scores = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.sampled_from(["1", "0", "-0", "1e5", "+2.", ".5", "inf", "007"]),
)
relevances = st.one_of(st.integers(-3, 4), st.integers(-(2**62), 2**62)).map(str)


@st.composite
def files(draw: st.DrawFn, value: st.SearchStrategy[str], *, run: bool) -> bytes:
    keys = draw(
        st.lists(st.tuples(st.sampled_from(["q1", "q2", "é3"]), ids), min_size=1, max_size=12, unique=True)
    )
    lines = []
    for query, document in keys:
        fields = (
            [query, "Q0", document, "1", draw(value), "tag"] if run else [query, "0", document, draw(value)]
        )
        lines.append(draw(blanks).join(["", *fields] if draw(st.booleans()) else fields))
        lines += draw(st.sampled_from([[], [""], ["  "]]))
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    return (ending.join(lines) + draw(st.sampled_from(["", ending]))).encode()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trec") / "file"


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(content=files(scores, run=True), block=st.sampled_from([1, 20, 1 << 19]))
def test_run_equals_the_line_by_line_oracle(place: Path, content: bytes, block: int) -> None:
    place.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "_BLOCK_BYTES", block)
        run = trec.read_run(place)
    expected = trec_lines.read_run(place)
    assert run.to_dict() == expected
    assert list(run.to_dict()) == list(expected)
    assert run.name == "tag"


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(content=files(relevances, run=False), block=st.sampled_from([1, 20, 1 << 19]))
def test_qrels_equal_the_line_by_line_oracle(place: Path, content: bytes, block: int) -> None:
    place.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "_BLOCK_BYTES", block)
        assert trec.read_qrels(place).to_dict() == trec_lines.read_qrels(place)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(ids, st.dictionaries(ids, st.floats(allow_nan=False), min_size=1), min_size=1, max_size=4)
)
def test_run_round_trip_is_exact_and_ranked(place: Path, table: dict[str, dict[str, float]]) -> None:
    trec.write_run(place, Run.from_dict(table, name="mine"))
    again = trec.read_run(place)
    assert again.to_dict() == table
    assert again.name == "mine"
    rows = [line.split() for line in place.read_text(encoding="utf-8").split("\n")[:-1]]
    for query, row in table.items():
        mine = [fields for fields in rows if fields[0] == query]
        assert [fields[2] for fields in mine] == trec_lines.ranked(row)
        assert [fields[3] for fields in mine] == [str(rank) for rank in range(1, len(row) + 1)]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.dictionaries(ids, st.dictionaries(ids, st.integers(-2, 3), min_size=1), min_size=1, max_size=4))
def test_qrels_round_trip(place: Path, table: dict[str, dict[str, int]]) -> None:
    trec.write_qrels(place, Qrels.from_dict(table))
    assert trec.read_qrels(place).to_dict() == table


def test_agrees_with_pytrec_eval_on_many_ties(place: Path) -> None:
    rng = np.random.default_rng(0)
    table = {
        f"q{query}": {f"d{doc}": float(rng.integers(4)) for doc in rng.permutation(500)[:200]}
        for query in range(50)
    }
    trec.write_run(place, Run.from_dict(table))
    with place.open() as stream:
        assert trec.read_run(place).to_dict() == pytrec_eval.parse_run(stream)


def test_lines_of_a_query_need_not_stand_together(place: Path) -> None:
    place.write_text("b 0 x 1\na 0 x 2\nb 0 y 3\n")
    qrels = trec.read_qrels(place)
    assert qrels.query_ids == ("b", "a")
    assert qrels.to_dict() == {"b": {"x": 1, "y": 3}, "a": {"x": 2}}


def test_gzip_and_byte_order_mark(place: Path) -> None:
    place.write_bytes(gzip.compress(b"\xef\xbb\xbfq 0 d 1\n"))
    assert trec.read_qrels(place).to_dict() == {"q": {"d": 1}}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("q 0 d 1\n\nq 0 d\n", 3, "3 fields, expected 4"),
        ("q Q0 d 1 2 t\n", 1, "a run has 6: give the judgements here"),
        ("q 0 d 1 extra", 1, "5 fields"),
        ("q 0 d 1\nq 0 e x\n", 2, "'x', expected a whole number"),
        ("q 0 d 1.5\n", 1, "whole number"),
        ("q 0 d 1.0\nq 0 e inf\n", 2, "whole number"),
        ("query-id corpus-id score\nq d 1\nq e 0.5\n", 3, "whole number"),
        ("query-id corpus-id score\nq 0 d 1\n", 2, "4 fields, expected 3"),
        ("q 0 d 1\nq 0 e 1_0\n", 2, "'1_0', expected a whole number"),
        ("q 0 d 99999999999999999999\n", 1, "whole number"),
        ("q 0 d 1\np 0 d 1\n\nq 0 d 1\n", 4, "document 'd' comes twice for query 'q'"),
        (f"q 0 {'d' * 2000} 1\n", 1, "2,000 bytes long"),
    ],
)
def test_broken_qrels_name_file_and_line(place: Path, text: str, line: int, words: str) -> None:
    place.write_text(text)
    with pytest.raises(DataError, match=words) as caught:
        trec.read_qrels(place)
    assert str(caught.value).startswith(f"{place}:{line}: ")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("q Q0 d 1 nan t\n", 1, 1),
        ("q Q0 d 1 2 t\nq Q0 e 2 high t\n", 2, 2),
        ("q Q0 d 1 2 t\nq Q0 e 2 1_000 t\n", 2, 2),
        ("q Q0 d 1 2 t\nq Q0 e 2 1\n", 2, 2),
        ("q 0 d 1\n", 1, 1),
        ("q Q0 d 1 2 t\nq Q0 d 2 1 t\n", 2, 2),
    ],
)
def test_broken_runs_name_file_and_line(place: Path, text: str, line: int, words: str) -> None:
    place.write_text(text)
    for block in (1, 1 << 19):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(DataError) as caught:
            patch.setattr(trec, "_BLOCK_BYTES", block)
            trec.read_run(place)
        assert caught.value.line == words
        assert str(caught.value).startswith(f"{place}:{line}: ")


def test_blank_file_is_an_error(place: Path) -> None:
    place.write_text("\n \n")
    with pytest.raises(DataError) as error:
        trec.read_run(place)
    assert str(error.value.path).endswith("file")


@pytest.mark.parametrize("name", ["", "two words", "tab\there"])
def test_ids_that_a_file_can_not_hold_are_refused(place: Path, name: str) -> None:
    with pytest.raises(DataError) as error:
        trec.write_qrels(place, Qrels.from_dict({"q": {name: 1}}))
    assert str(error.value.path).endswith("file")
    with pytest.raises(DataError) as error:
        trec.write_run(place, Run.from_dict({name: {"d": 1.0}}))
    assert str(error.value.path).endswith("file")


def test_nan_scores_are_not_written(place: Path) -> None:
    with pytest.raises(DataError) as error:
        run = Run.from_dict({"q": {"d": 1.0}})
        trec.write_run(place, replace(run, scores=run.scores * np.nan))
    assert str(error.value.path).endswith("file")


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", True),
        ("q1 0 d1 1\n", True),
        ("\nq1\t0\td1\t-1\nq2", True),
        ("1\tWhy\tHow\t1\n", False),
        ("q1 0 d1\n", False),
    ],
)
def test_judgements_are_told_from_other_files(tmp_path, text, is_so):
    (tmp_path / "file").write_text(text)
    assert looks_like_qrels(tmp_path / "file") is is_so


def test_the_runs_of_ms_marco_have_ranks(tmp_path):
    (tmp_path / "marco.dev.tsv").write_text("q1\td9\t1\nq1\td10\t2\nq2\td1\t2\nq2\td7\t1\n")
    run = trec.read_run(tmp_path / "marco.dev.tsv")
    assert run.to_dict() == {"q1": {"d9": -1.0, "d10": -2.0}, "q2": {"d1": -2.0, "d7": -1.0}}
    assert run.name == "marco"


@pytest.mark.parametrize(
    ("text", "line"),
    [("q d 0.5\nq e 0.25\n", None), ("q d 1\nr e 2\n", None), ("q d 1\nq d 2\n", 2), ("q d e\n", 1)],
    ids=["scores", "no first", "twice", "no number"],
)
def test_three_fields_that_are_no_ranks_are_refused(text, line, tmp_path):
    (tmp_path / "run.tsv").write_text(text)
    with pytest.raises(DataError) as error:
        trec.read_run(tmp_path / "run.tsv")
    assert error.value.line == line


def test_a_repeated_judgement_of_beir_is_named_by_its_document(tmp_path):
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\td9\t1\nq\td9\t0\n")
    with pytest.raises(DataError, match="'d9' comes twice") as error:
        trec.read_qrels(tmp_path / "qrels.tsv")
    assert error.value.line == 3
