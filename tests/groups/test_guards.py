import numpy as np
import pytest

from textkin.errors import UsageError
from textkin.groups.guards import allowed, names, negation, numbers
from textkin.groups.linkage import Edges


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Windows 10 or 11?", ("10", "11")),
        ("1,000.50 euro and 007", ("1000.5", "7")),
        ("3,5 percent of 2.0", ("2", "3.5")),
        ("version 1.2.10", ("1.2.10",)),
        ("Two of three things, and one thing", ("2", "3")),
        ("0 and 00", ("0", "0")),
        ("no digits at all", ()),
    ],
)
def test_numbers(text, found):
    assert numbers(text) == found


@pytest.mark.parametrize(
    "text", ["I can't log in", "I can’t log in", "cannot", "There is NO way", "dont do it"]
)
def test_negation(text):
    assert negation(text)


@pytest.mark.parametrize("text", ["I can log in", "a notable knot", ""])
def test_no_negation(text):
    assert not negation(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How do I learn Python?", {"python"}),
        ("Java is old. Where is iOS used, e.g. by NASA?", {"ios", "nasa"}),
        ("How Do I Learn Python Fast", set()),
        ("WHY IS THAT", set()),
        ("I think I am", set()),
        ("", set()),
    ],
)
def test_names(text, found):
    assert names(text) == found


TEXTS = ["Does Windows 10 run?", "does windows 11 run?", "does windows 10 not run?", "Does Linux 10 run?"]


@pytest.mark.parametrize(
    ("guards", "kept"),
    [
        ([], [True, True, True]),
        (["numbers"], [False, True, True]),
        (["negation"], [True, False, True]),
        (["names"], [True, True, False]),
        (["numbers", "negation", "names"], [False, False, False]),
    ],
)
def test_pairs_that_a_guard_forbids(guards, kept):
    edges = Edges(np.array([0, 0, 0]), np.array([1, 2, 3]), np.ones(3, dtype=np.float32))
    assert allowed(edges, TEXTS, guards).tolist() == kept


def test_an_unknown_guard():
    none = np.empty(0, dtype=np.int64)
    with pytest.raises(UsageError, match="numbers"):
        allowed(Edges(none, none, none.astype(np.float32)), [], ["number"])
