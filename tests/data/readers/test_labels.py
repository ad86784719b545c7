import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.data.readers.labels import Labels, binary, decide, is_label, number, whole_number
from textkin.data.records import LabelKind


def _decide(*cells: str) -> Labels:
    return decide(cells, range(2, len(cells) + 2), "f.tsv")


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (("1", "0"), (1.0, 0.0)),
        (("1.0", "0.0", " 1 "), (1.0, 0.0, 1.0)),
        (("True", "false"), (1.0, 0.0)),
        (("yes", "NO"), (1.0, 0.0)),
        (("duplicate", "not_duplicate", "Non-Duplicate"), (1.0, 0.0, 0.0)),
        (("same", "different"), (1.0, 0.0)),
        (("1", "no"), (1.0, 0.0)),
        (("0", "0"), (0.0, 0.0)),
    ],
)
def test_binary_words(cells: tuple[str, ...], values: tuple[float, ...]) -> None:
    assert _decide(*cells) == Labels(LabelKind.BINARY, (), values)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1_000", None),
        ("1_0", None),
        ("nan", None),
        ("-inf", None),
        ("", None),
        ("x", None),
        ("1000", 1000.0),
        (" -2.5 ", -2.5),
        ("1e3", 1000.0),
    ],
)
def test_numbers_are_finite_and_spelt_without_underscores(cell: str, value: float | None) -> None:
    assert number(cell) == value
    assert binary(cell) is None


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("7", True), ("-0.5", True), ("Not_Duplicate", True), ("NEUTRAL", True), ("maybe", False), ("", False)],
)
def test_what_a_label_looks_like(cell: str, expected: bool) -> None:
    assert is_label(cell) is expected


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("9" * 18, 10**18 - 1),
        ("9" * 19, None),
        ("1.0", None),
        ("٣", None),
        ("", None),
        ("1 ", None),
    ],
)
def test_whole_numbers_have_at_most_18_digits_of_ascii(cell: str, value: int | None) -> None:
    assert whole_number(cell) == value


def test_other_numbers_are_graded() -> None:
    assert _decide("0", "1", "4.5") == Labels(LabelKind.GRADED, (), (0.0, 1.0, 4.5))
    assert _decide("-1", "1").kind is LabelKind.GRADED


def test_entailment_classes_have_one_order_in_every_file() -> None:
    order = ("contradiction", "entailment", "neutral")
    assert _decide("NEUTRAL", "Entailment") == Labels(LabelKind.CLASSES, order, (2.0, 1.0))


def test_other_words_are_sorted_classes() -> None:
    assert _decide("b", "a", "yes", "b") == Labels(LabelKind.CLASSES, ("a", "b", "yes"), (1.0, 0.0, 2.0, 1.0))


@pytest.mark.parametrize(
    ("cells", "line", "words"),
    [
        (("1", "0", "5", "many"), 5, 5),
        (("0.5", "nan"), 3, 3),
        (("good", "bad", "3"), 4, 4),
    ],
)
def test_mixtures_name_the_line(cells: tuple[str, ...], line: int, words: str) -> None:
    with pytest.raises(DataError) as caught:
        _decide(*cells)
    assert caught.value.line == words
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        (("neutral", "contradiction", "hidden", "Contradiction"), 5),
        (("entailment", "ENTAILMENT", "hidden"), 3),
        (("a", "b", " B "), 4),
        (("Straße", "STRASSE"), 3),
    ],
)
def test_classes_that_differ_in_case_only_are_refused(cells: tuple[str, ...], line: int) -> None:
    with pytest.raises(DataError) as caught:
        _decide(*cells)
    assert caught.value.line == line


def test_the_case_of_entailment_words_alone_is_ignored() -> None:
    assert _decide("Contradiction", "contradiction", "NEUTRAL").values == (0.0, 0.0, 2.0)
    assert _decide("Neutral", "hidden", "entailment").classes == ("Neutral", "entailment", "hidden")


@pytest.mark.parametrize(
    "cells", [("1,0", "0,8"), ("1", "0,8", "0"), ("50%", "20 %"), ("0.5", "12,5 %"), ("-1", "-,5")]
)
def test_numbers_in_another_notation_are_no_classes(cells: tuple[str, ...]) -> None:
    with pytest.raises(DataError, match="decimal point") as caught:
        _decide(*cells)
    place = next(place for place, cell in enumerate(cells) if "," in cell or "%" in cell)
    assert caught.value.line == place + 2


def test_words_with_commas_stay_classes() -> None:
    assert _decide("1,2", "a").classes == ("1,2", "a")


def test_texts_are_no_classes() -> None:
    with pytest.raises(DataError) as error:
        _decide(*(f"text {i}" for i in range(60)))
    assert str(error.value.path).endswith("f.tsv")


@settings(deadline=None)
@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=20))
def test_any_cells_give_labels_or_a_data_error(cells: list[str]) -> None:
    try:
        labels = _decide(*cells)
    except DataError:
        return
    assert len(labels.values) == len(cells)
    if labels.kind is LabelKind.CLASSES:
        assert all(0 <= value < len(labels.classes) for value in labels.values)
