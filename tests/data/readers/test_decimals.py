"""Decimals by columns: the floats that Python makes of the same texts."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textkin.data.readers.decimals import floats_of

DIGITS = st.text(alphabet="0123456789", max_size=22)
SIGN = st.sampled_from(["", "-", "+"])
TEXT = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(width=32, allow_nan=False).map(lambda value: repr(float(value))),
    st.builds("{}{}.{}".format, SIGN, DIGITS, DIGITS),
    st.builds("{}{}{}".format, SIGN, DIGITS, st.sampled_from(["", ".", "e5", "E-7", "e400"])),
    st.integers(-(10**20), 10**20).map(str),
    st.text(alphabet="0123456789.+-einfaNxX\x00", max_size=8),
    st.sampled_from(["inf", "-Infinity", "1_0", "", ".", "-", "0x10", "1e", "..1", "1.2.3", "--1", "1-"]),
)


@st.composite
def near_a_middle(draw):
    """A decimal half-way between two floats, or as near to that as its last digit allows."""
    halves = 2 * draw(st.integers(2**52, 2**53 - 1)) + 1
    shift = draw(st.integers(-9, 11))
    exact = Fraction(halves) / Fraction(2) ** shift
    places = max(0, shift)
    digits = str(int(exact * 10**places) + draw(st.sampled_from([-1, 0, 1]))).rjust(places + 1, "0")
    return f"{digits[: len(digits) - places]}.{digits[len(digits) - places :]}" if places else digits


def python(text):
    """Python's own result, for texts as a field of a file: a column of bytes ends at its zeros."""
    return float(text.rstrip("\x00"))


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(texts=st.lists(st.one_of(TEXT, near_a_middle()), min_size=1, max_size=6))
@example(texts=["-0", "-0.0", "+.5", "5.", "0." + "0" * 25 + "1", "9" * 18, "9" * 19, "1" + "0" * 400])
@example(
    texts=["9007199254740993", "9007199254740992.5", "0.30000000000000004", "4.35", "179769313486231580"]
)
def test_is_what_python_makes_of_it(texts):
    cells = np.array([text.encode() for text in texts], dtype=np.bytes_)
    try:
        expected = [python(text) for text in texts]
    except ValueError:
        with pytest.raises(ValueError):
            floats_of(cells)
        return
    if any("_" in text for text in texts):
        return  # NumPy and Python differ; the reader of runs refuses them
    found = floats_of(cells)
    assert found.dtype == np.float64
    same = found.view(np.uint64) == np.array(expected).view(np.uint64)
    assert (same | np.isnan(found) & np.isnan(expected)).all()


def test_many_decimals_of_all_lengths():
    rng = np.random.default_rng(0)
    texts = [f"{value:.{places}f}" for value in rng.normal(size=300) * 1e3 for places in range(18)]
    texts += [repr(value) for value in rng.random(5_000).tolist()]
    texts += [repr(value) for value in rng.normal(size=5_000).astype(np.float32).astype(float).tolist()]
    found = floats_of(np.array(texts, dtype=np.bytes_))
    assert found.tolist() == list(map(float, texts))


def test_few_go_the_slow_way():
    """Nearly all decimals with 17 digits are read by columns, or the columns would be useless."""
    texts = [repr(value) for value in np.random.default_rng(1).random(2_000).tolist() if value > 1e-3]
    slow = []
    cells = np.array(texts, dtype=np.bytes_).view(_Watched)
    cells.slow = slow
    assert floats_of(cells).tolist() == list(map(float, texts))
    assert sum(slow) < 100  # those of more than 18 digits with their zeros in front


class _Watched(np.ndarray):
    """An array that counts NumPy's reads."""

    def __array_finalize__(self, source):
        self.slow = getattr(source, "slow", [])

    def astype(self, dtype, **options):
        if self.dtype.kind == "S" and np.dtype(dtype) == np.float64:
            self.slow.append(len(self))
        return super().astype(dtype, **options)


def test_no_cells_are_no_numbers():
    assert floats_of(np.empty(0, dtype="S1")).tolist() == []
