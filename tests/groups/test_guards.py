import numpy as np
import pytest

from textkin.errors import UsageError
from textkin.groups.guards import allowed, names, negation, numbers, units
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


ORDERS = [
    ("Are cats afraid of tigers?", "Are tigers afraid of cats?", False),
    ("Are cats afraid of tigers?", "are CATS -- afraid of tigers", True),
    ("Are cats afraid of tigers?", "Are tigers afraid of big cats?", True),
    ("ship from here", "ship form here", True),  # letters in another order are other words
    ("\u4ece\u4e0a\u6d77\u6765\u7684\u4fe1", "\u4ece\u6d77\u4e0a\u6765\u7684\u4fe1", False),
    ("\u4ece\u4e0a\u6d77\u6765\u7684\u4fe1", "\u4ece\u4e0a\u6d77 \u6765\u7684\u4fe1\uff01", True),
    (
        "\u041a\u043e\u0448\u043a\u0430 \u0438 \u043f\u0451\u0441",
        "\u043f\u0451\u0441 \u0438 \u043a\u043e\u0448\u043a\u0430",
        False,
    ),
    ("a , b c", "a b , c", True),
    ("A/B or B-A?", "B/A or A-B?", False),
    ("a aa", "aa a", True),  # one text by its key
    ("???", "!!!", True),
    ("the caf\u00e9 of Sophie", "Sophie of the cafe", False),
    ("the caf\u00e9 of Sophie", "the cafe of Sophie", True),
]


@pytest.mark.parametrize(("one", "other", "kept"), ORDERS)
def test_the_same_words_in_another_order(one, other, kept):
    edges = Edges(np.array([0, 0]), np.array([1, 0]), np.ones(2, dtype=np.float32))
    assert allowed(edges, [one, other], ["order"]).tolist() == [kept, True]


def test_units_are_words_or_characters_of_scripts_without_blanks():
    assert units("Don't re-do it") == ("don", "t", "re", "do", "it")
    assert units("\u6771\u4eac tower\u3067\u3059") == ("\u6771", "\u4eac", "tower", "\u3067", "\u3059")
    assert units("\u0939\u093f\u0928\u094d\u0926\u0940 \u092d\u093e\u0937\u093e") == (
        "\u0939\u093f\u0928\u094d\u0926\u0940",
        "\u092d\u093e\u0937\u093e",
    )


def test_an_unknown_guard():
    none = np.empty(0, dtype=np.int64)
    with pytest.raises(UsageError, match="numbers"):
        allowed(Edges(none, none, none.astype(np.float32)), [], ["number"])
