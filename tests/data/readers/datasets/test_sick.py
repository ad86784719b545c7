"""SICK."""

import csv
from pathlib import Path
from typing import Literal

import pytest

from textkin.base.errors import UsageError
from textkin.data.readers import load_pairs
from textkin.data.readers.datasets import sick


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


def test_both_layouts(file: Path) -> None:
    file.write_text(
        "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
        "1\tA dog\tA cat\t3.5\tNEUTRAL\n2\tIt runs\tIt moves\t4.5\tENTAILMENT\n"
    )
    assert sick.read_sick(file).data.labels.tolist() == [2.0, 1.0]
    assert sick.read_sick(file, labels="relatedness").data.labels.tolist() == [3.5, 4.5]
    with pytest.raises(UsageError) as error:
        sick.read_sick(file, split="TRAIN")
    assert error.value.params == ("split",)
    file.write_text(
        "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set\n"
        "1\tA dog\tA cat\tNEUTRAL\t3.5\tTRAIN\n2\tIt runs\tIt moves\tENTAILMENT\t4.5\tTEST\n"
    )
    loaded = sick.read_sick(file, split="test")
    assert [pair.a for pair in loaded.data] == ["It runs"]
    assert loaded.report.skipped == {"row of another split": 1}
    with pytest.raises(UsageError) as error:
        sick.read_sick(file, split="DEV")
    assert error.value.params == ("split",)
    with pytest.raises(UsageError) as error:
        sick.read_sick(file, labels="both")  # type: ignore[arg-type]
    assert error.value.params == ("labels",)


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_copy_with_quoted_cells_is_read_whole(file: Path, quoting: Literal[0, 1], delimiter: str) -> None:
    header = "pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"
    rows = [(str(row), "A dog, wet", 'A "cat"' if row else "Cats", "3.5", "NEUTRAL") for row in range(30)]
    with file.open("w", newline="") as stream:
        csv.writer(stream, quoting=quoting, delimiter=delimiter).writerows([header, *rows])
    loaded = load_pairs(file)
    assert (loaded.format, loaded.report.skipped) == ("sick", {})
    assert loaded.data.texts == [(a, b) for _, a, b, _, _ in rows]
