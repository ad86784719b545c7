"""Validation of single Python values: ids, labels, relevances and scores, from any library.

NumPy's numbers, zero-dimensional arrays and tensors, decimals and fractions are accepted as their values.
Values that would have to be changed or guessed are errors.
"""

import math
import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from textkin.base.errors import UsageError, invalid
from textkin.base.number_errors import no_number

_MIDNIGHT = " 00:00:00"
_EMPTY_FRACTION = re.compile(r"(?<=:\d\d)\.0+(?=$|[+-])")
_LONGEST = 40  # characters of a value shown in an error
_LARGEST = 2**63 - 1


def plain(value: Any) -> Any:
    """The Python value of a NumPy number, or of a zero-dimensional array or tensor; others unchanged.

    Missing values of pandas become None.
    """
    if type(value) in (str, int, float, bool):
        return value
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # NumPy's numbers have both, too
        return value.item()
    return None if type(value).__name__ in ("NAType", "NaTType") else value


def on_cpu(values: Any) -> Any:
    """The values of a tensor without gradients, in the processor's memory; a sparse matrix made dense."""
    for method in ("detach", "cpu", "toarray"):
        values = getattr(values, method, lambda same=values: same)()
    return values


def is_missing(value: Any) -> bool:
    """True for missing values: None, NaN, or pandas' NA and NaT."""
    value = plain(value)
    return value is None or (isinstance(value, float | Decimal) and math.isnan(value))


def cell_of(value: Any) -> Any:
    """A cell of a frame as Python has it: lists of arrays, None where it is missing."""
    if getattr(value, "ndim", 0):
        return value.tolist()
    return None if is_missing(value) else plain(shortest(value))


def shortest(value: Any) -> Any:
    """A NumPy number of half or single precision by its fewest digits; others unchanged.

    A double would have more digits, as 0.10000000149011612 for 0.1, which no file has and no filter names.
    """
    return float(str(value)) if str(getattr(value, "dtype", "")) in ("float16", "float32") else value


def date_text(told: str, *, has_times: bool = False) -> str:
    """A date and time as CSV files have it: without empty fractions, or a time of day that is midnight.

    Args:
        told: the date and time.
        has_times: True if others of its column have another time of day, so that midnight is one, too.

    Example:
        >>> date_text("2024-02-29 00:00:00.000000"), date_text("2024-02-29 12:30:00.000")
        ('2024-02-29', '2024-02-29 12:30:00')
    """
    found = _EMPTY_FRACTION.sub("", told)
    return found if has_times else found.removesuffix(_MIDNIGHT)


def has_time(told: str | None) -> bool:
    """True for a date and time that isn't midnight."""
    return told is not None and not _EMPTY_FRACTION.sub("", told).endswith(_MIDNIGHT)


def have_times(values: Iterable[Any]) -> bool:
    """True if one of the values is a date and time that isn't midnight."""
    return any(isinstance(one, datetime) and has_time(str(one)) for one in values)


def id_of(value: Any, where: str, *, what: str = "an id") -> str:
    """An id: a string, or an integer, which is converted to its digits.

    Args:
        value: the given value.
        where: description of the value for errors.
        what: description of the expected value.

    Raises:
        UsageError: it has another type, or contains characters that ids can't have.
    """
    found = plain(value)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if not isinstance(found, str):
        fix = "give a text, or a whole number"
        if isinstance(found, float) and found.is_integer():
            fix = f"give {int(found)} or '{int(found)}'"  # as columns with gaps have ids
        raise invalid(where, value, expected=what, fix=fix)
    if "\0" in found or any("\ud800" <= letter <= "\udfff" for letter in found):
        raise UsageError(
            f"{where} is {shown(found)}, with a character that no id can have",
            fix="change it",
            params=(where.partition("[")[0],),
            value=found,
        )
    return str(found)


def class_names_of(values: Iterable[Any], where: str) -> list[str]:
    """The names of classes as a file has them: strings, whole numbers by their digits, True and False, dates.

    Args:
        values: the given values.
        where: description of the values for errors.

    Raises:
        UsageError: one has another type, or two of different types have one name, such as 1 and "1".
    """
    found: list[str] = []
    first: dict[str, Any] = {}
    given = list(values)
    plain_values = list(map(plain, given))
    has_times = have_times(plain_values)
    for place, (value, own) in enumerate(zip(given, plain_values, strict=True)):
        told = f"{where}[{place}]"
        if isinstance(own, date):
            name = date_text(str(own), has_times=has_times)
        elif isinstance(own, bool):
            name = str(own)
        else:
            name = id_of(own, told, what="the name of a class").strip()
        other = first.setdefault(name, own)
        if isinstance(other, str) != isinstance(own, str):
            raise invalid(
                told,
                value,
                expected=f"another class than {shown(other)}, which has the same name",
                fix="write both alike, or name one anew",
            )
        found.append(name)
    return found


def id_or_blank(value: Any) -> str:
    """The cell of a frame's column of ids as a file has it: "" where it is missing."""
    return "" if is_missing(value) else str(plain(value)).strip()


def ids_of(values: Iterable[Any], where: str) -> list[str]:
    """Several distinct ids.

    Args:
        values: the given values.
        where: description of the values for errors.

    Raises:
        UsageError: as :func:`id_of`, or two are equal, such as 1 and "1".
    """
    given = list(values)
    found = given
    if not (set(map(type, given)) <= {str}) or "\0" in "".join(given) or not _encodes(given):
        found = [id_of(one, where) for one in given]
    if len(set(found)) < len(found):
        first: dict[str, Any] = {}
        for one, other in zip(found, given, strict=True):
            if one in first:
                raise UsageError(
                    f"{where} {shown(first[one])} and {shown(other)} are the same id", fix="give each once"
                )
            first[one] = other
    return found


def numbers_first(name: str) -> tuple[bool, int, str, str]:
    """The sort key of an id: whole numbers by their size, before all other ids."""
    digits = name.lstrip("0")
    return (False, len(digits), digits, name) if name.isascii() and name.isdecimal() else (True, 0, name, "")


def relevance_of(value: Any, where: str, *, fix: str | None = None) -> int:
    """A relevance: an integer of any type; ``fix`` is for the error.

    Raises:
        UsageError: it is not an integer.
    """
    found = plain(value)
    is_number = isinstance(found, bool | int | float | Decimal | Fraction) and not is_missing(found)
    if is_number and abs(found) <= _LARGEST and found == int(found):
        return int(found)
    raise invalid(
        where,
        value,
        expected="a whole number as relevance: 0 for irrelevant documents, 1 or more for relevant ones",
        fix=fix,
    )


def number_of(value: Any, where: str) -> float:
    """A number other than NaN.

    Raises:
        UsageError: it is not such a number.
    """
    found = plain(value)
    if isinstance(found, bool | int | float | Decimal | Fraction) and not is_missing(found):
        try:
            return float(found)
        except OverflowError:
            pass
    fix = no_number(found, whole=False)[1] if isinstance(found, str) else None
    raise invalid(where, value, expected="a number", fix=fix)


def label_of(value: Any, where: str) -> str:
    """A label as in a file: a number, a word for yes or no, or the name of a class.

    Raises:
        UsageError: it is neither a number nor a string.
    """
    found = plain(value)
    if isinstance(found, str):
        return str(found)
    if isinstance(found, bool):
        return str(int(found))
    try:
        if isinstance(found, int | float | Decimal | Fraction) and math.isfinite(number := float(found)):
            return repr(int(found) if number.is_integer() and isinstance(found, int) else number)
    except OverflowError:
        pass
    raise invalid(where, value, expected="a finite number, True or False, or the name of a class")


def shown(value: object) -> str:
    """The start of a value on one line, for errors."""
    words = repr(value) if not isinstance(value, str) or _encodes([value]) else ascii(value)
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."


def _encodes(texts: Iterable[str]) -> bool:
    """True if texts contain no lone surrogates, which have no bytes."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True
