import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.data.readers.span_predictions import read_no_answer, read_predictions, write_by_question

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@given(st.dictionaries(TEXT, TEXT), st.dictionaries(TEXT, st.floats(allow_nan=False, allow_infinity=False)))
def test_what_is_written_is_read_in_its_order(tmp_path_factory, texts, numbers):
    path = tmp_path_factory.getbasetemp() / "predictions.json"
    write_by_question(path, texts)
    assert list(read_predictions(path).items()) == list(texts.items())
    write_by_question(path, numbers)
    assert list(read_no_answer(path).items()) == list(numbers.items())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", r"expected an object, found \[\]"),
        ('{"q1": ["a"]}', r"\['q1'\]: expected text, found \[\"a\"\]"),
        ('{"q1": null}', r"\['q1'\]: expected text, found nothing"),
        ('{"q1": "a"', "broken JSON"),
        ("", "empty"),
    ],
)
def test_what_holds_no_predictions(tmp_path, content, words):
    path = tmp_path / "p.json"
    path.write_text(content)
    with pytest.raises(DataError, match=words):
        read_predictions(path)


@pytest.mark.parametrize("value", ["x", True, None, float("nan"), float("inf"), 10**400, [0.5]])
def test_what_is_no_probability(tmp_path, value):
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"q1": value}))
    with pytest.raises(DataError) as error:
        read_no_answer(path)
    assert str(error.value.path).endswith("p.json")
    path.write_text('{"q1": 1, "q2": -0.5}')
    assert read_no_answer(path) == {"q1": 1.0, "q2": -0.5}
