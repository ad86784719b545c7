from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textkin as tk
from textkin.data.readers.read_options import Reading, TextReading

READINGS = st.builds(
    Reading,
    format=st.sampled_from(["auto", "pairs", "sick"]),
    columns=st.none() | st.just({"a": "1", "b": "2"}),
    quoting=st.sampled_from(["auto", "csv", "none"]),
    questions=st.sampled_from(["answered", "all", "mixed"]),
    labels=st.sampled_from([None, "entailment", "graded"]),
    split=st.none() | st.just("dev"),
    seed=st.none() | st.integers(0, 9),
)


@given(READINGS)
def test_what_was_written_reads_back(reading: Reading) -> None:
    assert Reading.from_dict(reading.to_dict()) == reading


def test_folders_of_studies_hold_what_they_held() -> None:
    """The keys, in this order, since a study with other settings is another study."""
    assert list(Reading().to_dict().items()) == [("columns", None), ("format", "auto"), ("quoting", "auto")]
    assert Reading.from_dict({}) == Reading()
    assert Reading(reference=Path("a.ref")).to_dict()["reference"] == "a.ref"


def test_the_layout_of_a_file_says_nothing_of_its_part() -> None:
    reading = Reading(format="sick", columns={"a": "1"}, labels="relatedness", split="TRIAL", questions="all")
    assert reading.layout() == Reading(format="sick", columns={"a": "1"}, labels="relatedness")
    assert reading.side("pairs").to_dict()["quoting"] == "auto"


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        (tk.load_pairs, {"path": "pairs.csv"}),
        (tk.load_texts, {"path": "texts.txt"}),
        (Reading, {}),
        (TextReading, {}),
    ],
)
def test_a_misspelt_option_is_an_error(verb: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="'treshold'"):
        verb(**arguments, treshold=0.9)
