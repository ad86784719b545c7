import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.vectors.groups.guards import GUARDS, STANDARD, checks

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
    assert checks(TEXTS, guards)(np.array([0, 0, 0]), np.array([1, 2, 3])).tolist() == kept


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
    ("Why did Apple sue Microsoft?", "Microsoft sued Apple over patents", False),
    ("The path leads from 5 to 7.", "Go from 7 to 5", False),
]


@pytest.mark.parametrize(("one", "other", "kept"), ORDERS)
def test_the_same_words_in_another_order(one, other, kept):
    assert checks([one, other], ["order"])(np.array([0, 0]), np.array([1, 0])).tolist() == [kept, True]


def test_an_unknown_guard():
    with pytest.raises(UsageError) as error:
        checks([], ["number"])
    assert error.value.params == ("guards",)


@pytest.mark.parametrize("guard", list(GUARDS))
def test_a_guard_looks_at_clean_text(guard):
    texts = [
        "Ask Pay\u200bPal in Zoe\u0301's \u0130zmir about 10\u00ad5",
        "ask PayPal in Zo\u00e9's izmir about 105",
    ]
    assert checks(texts, [guard])(np.array([0]), np.array([1])).tolist() == [True]


def test_content_is_a_guard_of_its_own():
    texts = ["the red lamp", "the blue lamp", "the lamp"]
    found = checks(texts, ["content"])(np.array([0, 0, 1]), np.array([1, 2, 2]))
    assert found.tolist() == [False, True, True]
    assert checks(texts, STANDARD)(np.array([0]), np.array([1])).tolist() == [True]
