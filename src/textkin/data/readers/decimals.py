"""Fast parsing of decimal columns, with the same results as ``float``.

NumPy parses texts one by one, which takes most of the time of reading a run. Here plain decimals are parsed
by arithmetic on whole columns of characters. Up to 18 digits form an integer below 2**63, and its quotient by
a power of ten is rounded once, as in Clinger 1990, "How to read floating point numbers accurately".
"""

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats, Ints

_DIGITS = 18  # an integer with this number of digits fits into 63 bits
_WIDEST = 1 + _DIGITS + 1  # with a sign and a point
_POWERS: Floats = np.array([10.0**power for power in range(_DIGITS + 1)])  # exact up to 10**22
_SPLITTER = 2.0**27 + 1
_DOUBT = 2.0**-40


def floats_of(cells: NDArray[np.bytes_]) -> Floats:
    """Parse ASCII texts like ``float``, with the result of ``cells.astype(float)``.

    Args:
        cells: shape [rows].

    Raises:
        ValueError: a cell is not a number.
    """
    whole, places, minus, plain = _digits(cells)
    values, sure = _quotients(whole, places)
    np.negative(values, out=values, where=minus)
    others = ~(plain & sure)
    if others.any():
        values[others] = cells[others].astype(np.float64)
    return values


def _digits(
    cells: NDArray[np.bytes_],
) -> tuple[Ints, Ints, Bools, Bools]:
    """The digits of each cell as an integer, the number of decimals, and flags for negative ones.

    The last array is True for plain decimals with few digits; other cells have the number 0.
    """
    count, width = len(cells), cells.dtype.itemsize
    letters = np.ascontiguousarray(cells).view(np.uint8).reshape(count, width)[:, : _WIDEST + 1]
    whole, places = np.zeros((2, count), dtype=np.int64)
    digits = np.zeros(count, dtype=np.uint8)
    pointed, ended, odd = np.zeros((3, count), dtype=np.bool_)
    minus = np.zeros(count, dtype=np.bool_)
    for column, letter in enumerate(np.ascontiguousarray(letters.T)):
        digit = letter - np.uint8(ord("0"))
        is_digit = digit <= 9
        if is_digit.all():
            odd |= ended
            whole *= 10
            whole += digit
            digits += np.uint8(1)
            places += pointed
            continue
        np.copyto(whole, whole * 10 + digit, where=is_digit)
        digits += is_digit
        places += is_digit & pointed
        point, end = letter == ord("."), letter == 0
        fits = is_digit | (point & ~pointed)
        if column == 0:
            minus = letter == ord("-")
            fits |= minus | (letter == ord("+"))
        odd |= ~(fits & ~ended | end)
        pointed |= point
        ended |= end
    plain = ~odd & (digits > 0) & (digits <= _DIGITS)
    if width > _WIDEST:
        plain &= letters[:, _WIDEST] == 0
    whole[~plain] = 0
    return whole, np.minimum(places, _DIGITS), minus, plain


def _quotients(whole: Ints, places: Ints) -> tuple[Floats, Bools]:
    """``whole / 10**places``, and True where it is certainly rounded correctly.

    An integer below 2**53 and the power are exact, so one division suffices. Otherwise the remainder of the
    first quotient, which is exact too, gives a second one. Their sum is rounded correctly unless it is so
    close to the middle between two numbers that the rounding of the second one could matter.
    """
    power: Floats = _POWERS[places]
    near = whole.astype(np.float64)
    first = near / power
    if whole.max(initial=0) <= 1 << 53:
        return first, np.ones(len(whole), dtype=np.bool_)
    rest = (whole - near.astype(np.int64)).astype(np.float64)
    product = first * power
    remainder = (near - product) - _product_error(first, power, product) + rest
    second = remainder / power
    low, high = first + second * (1 - _DOUBT), first + second * (1 + _DOUBT)
    return low, low == high


def _product_error(a: Floats, b: Floats, product: Floats) -> Floats:
    """The exact rounding error of a product (Dekker 1971)."""
    a_high, b_high = (side * _SPLITTER - (side * _SPLITTER - side) for side in (a, b))
    a_low, b_low = a - a_high, b - b_high
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
