from __future__ import annotations

import time

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.vectors.groups.guarded_words import prepared
from textkin.vectors.groups.guards import GUARDS, STANDARD, amounts, checks

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


def test_the_order_of_pairs_changes_nothing():
    a, b = np.triu_indices(len(TEXTS), 1)
    once = checks(TEXTS, STANDARD)(a, b)
    order = np.random.default_rng(0).permutation(len(a))
    assert checks(TEXTS, STANDARD)(a[order], b[order]).tolist() == once[order].tolist()
    assert checks(TEXTS, STANDARD)(b, a).tolist() == once.tolist()


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


def found(text):
    return amounts(prepared(text))


@pytest.mark.parametrize(
    ("text", "surely"),
    [
        ("Windows 10 or 11?", ("10", "11")),
        ("1,000.50 euro, then 007", ("007", "1000.50 eur")),
        ("1,00,000 and 1,00", ("1,00", "100000")),
        ("version 1.2.10", ("1.2.10",)),
        ("Two of three things, and one thing", ("2", "3")),
        ("-3 to 5 \u00b0C", ("-3-5 \u00b0c",)),
        ("2M, 2 million and 2.5bn", ("2.5 e9", "2000000", "2000000")),
        ("more than $5 at 07:30 p.m.", ("7:30 pm", "> 5 usd")),
        ("\u2153 cup, 10\u00b2 m\u00b2, 1\u00bd h", ("1 1/2 h", "1/3", "10^2 m2")),
        ("twenty-five, two hundred and six, the 2nd and third", ("206", "25", "2th", "3th")),
        ("in World War II", ("2",)),
        ("5\u2032 6\u2033, or 5'7\"", ("5 \u2032", "5 \u2032", "6 \u2033", "7 \u2033")),
        ('say "I am 5", a 55" and a 65" set', ("5", "55 \u2033", "65 \u2033")),
        ("in the nineties, or the 90s", ("90 s", "90 s")),
        ("\u0663 \u4e09", ("3", "3")),
        ("no digits at all", ()),
    ],
)
def test_amounts(text, surely):
    assert found(text).surely == surely


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Django 5.10", "Django 5.1"),
        ("1.500 euros", "1.5 euros"),
        ("It fell to -3 degrees", "It fell to 3 degrees"),
        ("minus 3", "3"),
        ("\u00b15", "5"),
        ("one third of it", "two thirds of it"),
        ("\u2153 cup", "\u2154 cup"),
        ("2M users", "2B users"),
        ("hundreds of users", "thousands of users"),
        ("a dozen eggs", "two dozen eggs"),
        ("at 7:30 am", "at 7:30 pm"),
        ("12 noon", "12 midnight"),
        ("7 in the morning", "7 in the evening"),
        ("Is 5 > 3 true?", "Is 5 < 3 true?"),
        ("at least 5", "at most 5"),
        ("18+", "18"),
        ("before 2010", "after 2010"),
        ("5 mg", "5 g"),
        ("5 mW", "5 MW"),
        ("5 m\u00b2", "5 m\u00b3"),
        ("5 mg per day", "5 mg per week"),
        ("$5", "\u20ac5"),
        ("5 %", "5"),
        ("5 \u00b0C", "5 \u00b0F"),
        ("10\u00b2", "102"),
        ("10\u2082", "102"),
        ("10^-3", "10^3"),
        ("1e5", "1e-5"),
        ("from 5 to 7", "from 7 to 5"),
        ("2020-01-02", "2020-02-01"),
        ("1:2", "2:1"),
        ("3/4", "4/3"),
        ("World War II", "World War III"),
        ("5' tall", '5" tall'),
        ("5\u2032 tall", "5\u2033 tall"),
        ("in the eighties", "in the nineties"),
        ("the second", "the third"),
        ("007", "7"),
        ("3,5", "35"),
        ("twice", "three times"),
        ("double the dose", "triple the dose"),
        ("at noon", "at midnight"),
        ("in 500 BC", "in 500 AD"),
        ("\u4e09\u5929", "\u4e94\u5929"),
    ],
)
def test_amounts_that_differ(one, other):
    assert not found(one).same(found(other))
    assert not found(other).same(found(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 mg", "5mg"),
        ("5 mg", "five milligrams"),
        ("10%", "10 per cent"),
        ("1,000", "1000"),
        ("2M", "two million"),
        ("500k", "500,000"),
        ("7:30 am", "7:30AM"),
        ("7:30 a.m.", "07:30 am"),
        ("$5", "5 dollars"),
        ("Rs. 500 and Rs. 1000", "500 and 1000 rupees"),
        ("5-10 mg", "5 mg to 10 mg"),
        ("between 5 and 10", "5\u201310"),
        ("2nd", "second"),
        ("twenty-fifth", "25th"),
        ("World War II", "World War Two"),
        ("World War I", "World War 1"),
        ("1 day", "one day"),
        ("one day", "a day"),
        ("first", "1st"),
        ("\u00bd", "1/2"),
        ("two-thirds", "\u2154"),
        ("\u22123", "-3"),
        ("5 square metres", "5 m2"),
        ("5-year-old", "5 years old"),
        ("at least 5", "\u2265 5"),
        ("18+", "18 or older"),
        ("22/03/1992", "22-03-1992"),
        ("3 \u00d7 4", "3x4"),
        (".5", "0.5"),
        ("I am 5", "am I 5"),
        ("12 noon", "at noon"),
        ("double the dose", "twice the dose"),
    ],
)
def test_amounts_that_are_the_same(one, other):
    assert found(one).same(found(other))
    assert found(other).same(found(one))


@pytest.mark.slow
@pytest.mark.parametrize("part", ["1-", "3x", "million ", "5 mg to ", "1,", "\u00bd", "a.1"])
def test_long_texts_take_time_by_their_length(part):
    started = time.process_time()
    found(part * (200_000 // len(part)))
    assert time.process_time() - started < 20, "by the square of the length it would be many minutes"
