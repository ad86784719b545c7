"""Quora's question pairs."""

from pathlib import Path

import pytest

from tests.data.readers.making import write_quora
from textkin.base.errors import DataError
from textkin.data.readers.datasets import quora
from textkin.data.records import LabelKind, Pair


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


def test_pairs_and_ids(file: Path) -> None:
    loaded = quora.read_quora(write_quora(file))
    assert loaded.data.kind is LabelKind.BINARY
    assert loaded.data.pairs[0] == Pair('What is "x"?', "What's x?", 1.0, "1", "2", 0, "0")
    assert loaded.data.pairs[1].row == 2
    assert loaded.report.sentence() == "3 rows, 2 kept; skipped 1: 1 empty text (line 3)"
    file.write_text("a\tb\nc\td\n")
    with pytest.raises(DataError) as error:
        quora.read_quora(file)
    assert str(error.value.path).endswith("data.tsv")
