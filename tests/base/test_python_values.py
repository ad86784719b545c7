"""Single values from Python, from any library."""

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.base.python_values import (
    class_names_of,
    date_text,
    id_of,
    ids_of,
    is_missing,
    label_of,
    number_of,
    numbers_first,
    plain,
    relevance_of,
    shown,
)
from textkin.data.records import LabelKind

NAN = float("nan")


class NAType:
    """A value like pandas', whose truth value is undefined."""

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


class Scalar:
    """A value like a tensor without dimensions."""

    ndim = 0

    def item(self):
        return 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.str_("a"), "a"),
        (np.True_, True),
        (np.array(4), 4),
        (Scalar(), 2),
        (NAType(), None),
    ],
)
def test_scalars_are_what_they_hold(given, expected):
    found = plain(given)
    assert found == expected
    assert type(found) is type(expected)


def test_other_things_stay():
    several = np.array([1])
    assert plain(several) is several


@pytest.mark.parametrize("given", [None, NAN, np.float64("nan"), Decimal("NaN"), NAType()])
def test_what_is_missing(given):
    assert is_missing(given)
    for read in (relevance_of, number_of, label_of, id_of):
        with pytest.raises(UsageError) as error:
            read(given, "this")
        assert error.value.params == ("this",)


@pytest.mark.parametrize(("given", "expected"), [("a", "a"), (7, "7"), (np.uint8(7), "7"), (Scalar(), "2")])
def test_ids_are_texts_or_whole_numbers(given, expected):
    assert id_of(given, "id") == expected


@pytest.mark.parametrize("given", [1.0, 1.5, True, b"a", ("a",), "a\0", "\ud800", [1], np.array([1])])
def test_other_ids_are_refused(given):
    with pytest.raises(UsageError) as error:
        id_of(given, "id")
    assert error.value.params == ("id",)


def test_names_of_classes_are_as_in_a_file():
    assert class_names_of([True, np.False_, 3, np.int64(3), " a ", ""], "it") == [
        "True", "False", "3", "3", "a", "",
    ]  # fmt: skip


def test_dates_as_classes_are_as_in_a_file():
    midnight, noon = datetime(2026, 1, 2), datetime(2026, 1, 2, 12)
    assert class_names_of([date(2026, 1, 2)], "it") == class_names_of([midnight], "it") == ["2026-01-02"]
    assert class_names_of([midnight, noon], "it") == ["2026-01-02 00:00:00", "2026-01-02 12:00:00"]
    with pytest.raises(UsageError):
        class_names_of([date(2026, 1, 2), "2026-01-02"], "it")


@pytest.mark.parametrize("given", [[1, "1"], ["1", np.int8(1)], ["False", False], [2, 1, " 1"]])
def test_classes_of_one_name_and_two_types_are_refused(given):
    with pytest.raises(UsageError) as error:
        class_names_of(given, "classes")
    assert error.value.params == ("classes",) and error.value.value is given[-1]


def test_the_same_id_twice_is_refused():
    assert ids_of({"a": 1, 2: 1}, "id") == ["a", "2"]
    with pytest.raises(UsageError, match="id 1 and '1' are the same"):
        ids_of([1, "1"], "id")


def test_numbers_come_first_by_size():
    given = ["q10", "10", "9", "q2", "007", "7", "٣"]
    assert sorted(given, key=numbers_first) == ["007", "7", "9", "10", "q10", "q2", "٣"]


@pytest.mark.parametrize(
    ("given", "expected"), [(1, 1), (2.0, 2), (np.float32(1), 1), (True, 1), (Decimal("3.0"), 3), (-1, -1)]
)
def test_relevances_are_whole_numbers(given, expected):
    assert relevance_of(given, "relevance") == expected


@pytest.mark.parametrize("given", [0.9, Fraction(1, 2), "1", float("inf"), 2**64, [1], 1j])
def test_other_relevances_are_refused(given):
    with pytest.raises(UsageError) as error:
        relevance_of(given, "relevance")
    assert error.value.params == ("relevance",)


def test_numbers():
    assert [number_of(one, "it") for one in (1, np.float64(0.25), Fraction(1, 2), True)] == [1, 0.25, 0.5, 1]
    assert number_of(float("-inf"), "it") == -np.inf
    for given in ("0.5", 10**400, 1j, [0.5]):
        with pytest.raises(UsageError) as error:
            number_of(given, "it")
        assert error.value.params == ("it",)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1, "1"),
        (1.0, "1.0"),
        (np.float64(0.5), "0.5"),
        (Fraction(1, 4), "0.25"),
        (True, "1"),
        (np.False_, "0"),
        ("red", "red"),
        (LabelKind.GRADED, "graded"),
        (Scalar(), "2"),
    ],
)
def test_labels_are_as_in_a_file(given, expected):
    assert label_of(given, "label") == expected


@pytest.mark.parametrize(
    "given", [[1], (1,), {1}, b"yes", object(), np.array([1]), float("inf"), 10**400, 1j]
)
def test_other_labels_are_refused(given):
    with pytest.raises(UsageError) as error:
        label_of(given, "label")
    assert error.value.params == ("label",)


def test_a_value_is_shown_on_one_short_line():
    assert shown("a\nb") == r"'a\nb'"
    assert shown("x" * 99) == "'" + "x" * 39 + "..."
    assert shown(np.array([[1], [2]])) == "array([[1], [2]])"


@pytest.mark.parametrize(
    ("told", "written"),
    [
        ("2024-02-29", "2024-02-29"),
        ("2024-02-29 00:00:00", "2024-02-29"),
        ("2024-02-29 12:30:00.500000", "2024-02-29 12:30:00.500000"),
        ("2024-02-29 00:00:00+00:00", "2024-02-29 00:00:00+00:00"),
        ("2024-02-29 12:30:00.000-05:00", "2024-02-29 12:30:00-05:00"),
        ("2024-02-29 12:30:00.500+01:00", "2024-02-29 12:30:00.500+01:00"),
        ("00:00:00", "00:00:00"),
        ("3.00", "3.00"),
    ],
)
def test_dates_are_written_as_in_csv(told, written):
    assert date_text(told) == written
