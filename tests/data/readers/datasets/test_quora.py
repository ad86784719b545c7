"""Quora's question pairs."""

from pathlib import Path

import pytest

from textkin.base.errors import DataError
from textkin.data.readers.datasets import quora
from textkin.data.records import LabelKind, Pair


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


def _quora(file: Path) -> Path:
    file.write_text(
        "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
        '0\t1\t2\tWhat is "x"?\tWhat\'s x?\t1\n1\t3\t4\t\tempty\t0\n2\t5\t6\tOne?\tTwo?\t0\n'
    )
    return file


def test_pairs_and_ids(file: Path) -> None:
    loaded = quora.read_quora(_quora(file))
    assert loaded.data.kind is LabelKind.BINARY
    assert loaded.data.pairs[0] == Pair('What is "x"?', "What's x?", 1.0, "1", "2", 0)
    assert loaded.data.pairs[1].row == 2
    assert loaded.report.sentence() == "3 rows, 2 kept; skipped 1: 1 empty text (line 3)"
    file.write_text("a\tb\nc\td\n")
    with pytest.raises(DataError) as error:
        quora.read_quora(file)
    assert str(error.value.path).endswith("data.tsv")
