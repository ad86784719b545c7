from __future__ import annotations

from pathlib import Path

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers import detect, load
from textkin.data.readers.datasets.quora_ir import read_quora_ir
from textkin.data.records import Suite

QUERIES = 'qid\tquestion\tduplicate_qids\n1\twhat is "x"?\t2,3\n'
FILES = {
    "classification/test_pairs.tsv": (
        'qid1\tqid2\tquestion1\tquestion2\tis_duplicate\n1\t2\twhat is "x"?\twhat\'s "x\t1\n1\t3\ta\tb\t0\n'
    ),
    "duplicate-mining/test_corpus.tsv": 'qid\tquestion\n1\twhat is "x"?\n2\twhat\'s "x\n3\tb\n',
    "duplicate-mining/test_duplicates.tsv": "qid1\tqid2\n1\t2\n",
    "information-retrieval/corpus.tsv": "qid\tquestion\n2\twhat's \"x\n3\tb\n9\t\n",
    "information-retrieval/test-queries.tsv": QUERIES,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_three_data_sets_of_one_folder(folder: Path) -> None:
    assert detect(folder) == "quora-ir"
    loaded = load(folder)
    data = loaded.data
    assert isinstance(data, Suite)
    assert [(pair.id_a, pair.a, pair.label) for pair in data.pairs] == [
        ("1", 'what is "x"?', 1.0),
        ("1", "a", 0.0),
    ]
    assert data.duplicates.texts == {"1": 'what is "x"?', "2": "what's \"x", "3": "b"}
    assert data.duplicates.pairs == (("1", "2"),)
    assert list(data.collection.corpus) == ["2", "3", "9"]
    assert data.collection.qrels.to_dict() == {"1": {"2": 1, "3": 1}}
    assert loaded.report.rows == 10


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("duplicate-mining/test_duplicates.tsv", "qid1\tqid2\n1\t7\n", r":2.*'7' is not in the corpus"),
        ("duplicate-mining/test_duplicates.tsv", "qid1\tqid2\n1\t2\n2\t1\n", "a pair comes twice"),
        ("duplicate-mining/test_corpus.tsv", "qid\tquestion\n1\ta\n1\tb\n", r":3.*'1' comes twice"),
        ("information-retrieval/corpus.tsv", "id\ttext\n1\ta\n", "expected a header with qid, question"),
        ("information-retrieval/corpus.tsv", "qid\tquestion\n1\n", r":2.*1 columns, expected 2"),
        ("information-retrieval/test-queries.tsv", f"{QUERIES}1\tagain\t3\n", r":3.*'1' comes twice"),
        (
            "classification/test_pairs.tsv",
            "qid1\tqid2\tquestion1\tquestion2\tis_duplicate\n1\t2\ta\tb\t7\n",
            "labelled 0 and 1",
        ),
    ],
)
def test_broken_files_are_named(folder: Path, name: str, text: str, words: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(DataError, match=words) as raised:
        read_quora_ir(folder)
    assert Path(name).name in str(raised.value)


def test_other_splits(folder: Path) -> None:
    with pytest.raises(UsageError) as error:
        read_quora_ir(folder, split="train")
    assert error.value.params == ("split",)
    with pytest.raises(DataError) as error:
        read_quora_ir(folder, split="dev")
    assert str(error.value.path).endswith("dev_pairs.tsv")
