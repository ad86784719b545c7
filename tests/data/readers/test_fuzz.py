"""Arbitrary bytes: they are read, or the error is one of textkin's."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import TextkinError
from textkin.data.readers import FORMATS, Reading, load, load_candidates, load_texts, trec
from textkin.data.readers.datasets import squad

PIECES = [
    b"\t",
    b",",
    b";",
    b'"',
    b'""',
    b"\n",
    b"\r\n",
    b"\r",
    b"1",
    b"0",
    b"a b",
    b"question1",
    b"question2",
]
PIECES += [
    b"label",
    b"\xe2\x80\xa8",
    b"\xff",
    b"\0",
    b'{"a": "x", "b": "y"}',
    b'{"_id": "1"}',
    b"nan",
    b"-",
    b"[[",
    b"{",
]
PIECES += [
    b"QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n",
    b"\xef\xbb\xbf",
    b" ",
]
PIECES += [b"gold_label\tsentence1\tsentence2\n", b"pair_ID\tsentence_A\tsentence_B\trelatedness_score\tx\n"]
PIECES += [
    b"id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n",
    b"g\tf\ty\t1\t4.5\tx\ty\n",
    b"q Q0 d 1 2.5 t\n",
]

PIECES += [
    b"<QApairs id='1'>\n",
    b"<question>\nwho\t?\n</question>\n",
    b"<positive>\na\n</positive>\n",
    b"<negative>\n",
    b"</QApairs>\n",
]
PIECES += [
    b"<xml>",
    b"</xml>",
    b"<Thread>",
    b"</Thread>",
    b'<RelQuestion RELQ_ID="1">',
    b"</RelQuestion>",
    b"<RelQSubject>s</RelQSubject>",
    b'<RelComment RELC_ID="2" RELC_RELEVANCE2RELQ="Good">',
    b"<RelCText>t</RelCText>",
    b"</RelComment>",
    b"<!DOCTYPE xml [<!ENTITY a 'b'>]>",
]
PIECES += [
    b'[{"qid": "1", "imdb_key": "t", "question": "q", "answers": ["a", "b"], "correct_index": 0}',
    b", ",
    b"]",
    b'{"data": [{"title": "t", "paragraphs": [{"context": "a b", "qas": [',
    b'{"id": "1", "question": "q", "answers": [{"text": "a", "answer_start": 0}]}',
    b"]}]}]}",
    b"\\ud800",
]

contents = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join),
    st.lists(st.sampled_from(PIECES), max_size=25).map(
        lambda pieces: gzip.compress(b"".join(pieces), mtime=0)
    ),
    st.binary(max_size=30).map(lambda tail: gzip.compress(b"a\tb\nc\td\n", mtime=0)[:20] + tail),
)


def _read(reader: Callable[..., Any], path: Path, **options: Any) -> None:
    try:
        reader(path, **options)
    except TextkinError as error:
        assert str(error)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["txt", "csv", "jsonl"])
@settings(max_examples=60, deadline=None)
@given(content=contents)
def test_every_input_reads_or_raises_a_textkin_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"fuzz.{suffix}"
    path.write_bytes(content)
    for name in ("auto", *FORMATS):
        _read(load, path, reading=Reading(format=name))
    for quoting in ("csv", "none"):
        _read(load, path, reading=Reading(quoting=quoting))
    for reader in (load_candidates, load_texts, trec.read_qrels, trec.read_run, squad.read_squad):
        _read(reader, path)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(corpus=contents, qrels=contents)
def test_every_folder_reads_or_raises_a_textkin_error(
    tmp_path_factory: pytest.TempPathFactory, corpus: bytes, qrels: bytes
) -> None:
    folder = tmp_path_factory.getbasetemp() / "fuzz-beir"
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    (folder / "corpus.jsonl").write_bytes(b'{"_id": "d", "text": "x"}\n' + corpus)
    (folder / "queries.jsonl").write_bytes(b'{"_id": "q", "text": "x"}\n')
    (folder / "qrels" / "test.tsv").write_bytes(qrels)
    _read(load, folder)


FOLDERS = {
    "trecqa": ("a.toks", "b.toks", "sim.txt", "id.txt", "numrels.txt"),
    "insuranceqa": ("vocabulary", "answers.label.token_idx", "question.dev.label.token_idx.pool"),
    "objects": ("vocabulary.json", "answers.json", "dev.json"),
    "movieqa": ("qa.json", "splits.json"),
}
CELLS = [
    b"0",
    b"1",
    b"2",
    b" ",
    b"\t",
    b"\n",
    b"\r\n",
    b"idx_1",
    b"\xff",
    b"[",
    b"]",
    b"{",
    b"}",
    b'"1": ',
    b"1, ",
]
CELLS += [b'{"question": [1], "good": [1], "bad": [2]}', b'"dev": ["t"]', b"who ?"]
folder_files = st.lists(st.lists(st.sampled_from(CELLS), max_size=8).map(b"".join), min_size=5, max_size=5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FOLDERS)
@settings(max_examples=60, deadline=None)
@given(files=folder_files)
def test_folders_of_questions_read_or_raise_a_textkin_error(
    tmp_path_factory: pytest.TempPathFactory, files: list[bytes], kind: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / f"fuzz-{kind}"
    folder.mkdir(exist_ok=True)
    for name, content in zip(FOLDERS[kind], files, strict=False):
        (folder / name).write_bytes(content)
    _read(load, folder)
    if kind != "trecqa":
        _read(load, folder, reading=Reading(split="dev"))


def test_deeply_nested_json_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text('{"a": "x", "b": "y"}\n{"a": ' + "[" * 100_000 + "\n")
    assert load(path).report.skipped == {"not a readable JSON object": 1}
