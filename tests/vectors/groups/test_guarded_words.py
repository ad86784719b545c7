import time

import pytest

from textkin.vectors.groups.guarded_words import Named, names, negation, prepared, units


@pytest.mark.parametrize(
    "text", ["I can't log in", "I can’t log in", "cannot", "There is NO way", "dont do it"]
)
def test_negation(text):
    assert negation(text)


@pytest.mark.parametrize(
    "sign", ["'", "\u2019", "`", "\u00b4", "\u02bc", "\u2018", "\u201b", "\u2032", "\uff07"]
)
def test_negation_with_any_apostrophe(sign):
    assert negation(prepared(f"I can{sign}t log in"))


def test_negation_apart_from_its_verb_as_tokenised_texts_have_it():
    assert negation(prepared("I do n't know"))
    assert negation(prepared("I ca n`t say"))


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
        ("A cat. A dog: A bird", set()),
        ("sent from hub A today", {"a"}),
        ("room 12A, gate b12, C++ and C#", {"12a", "b12", "c++", "c#"}),
        ("take 5mg on the 2nd at 7pm, 10K in all", set()),
        ("as we all know John F. Kennedy of the U.S. said", {"john", "us"}),
        ("it was in World War II", {"world", "war", "2"}),
        ("", set()),
    ],
)
def test_names(text, found):
    assert names(prepared(text)) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Is hepatitis B contagious?", "Is hepatitis C contagious?"),
        ("is hepatitis a contagious", "is hepatitis b contagious"),
        ("The size is M", "The size is L"),
        ("Room 12A is locked", "Room 12B is locked"),
        ("How do I sort a list in C?", "How do I sort a list in C#?"),
        ("in C++", "in C#"),
        ("I got an A", "I got an A+"),
        ("I got an A-", "I got an A"),
        ("HUB A IS OPEN", "HUB B IS OPEN"),
        ("Vitamin C Deficiency", "Vitamin D Deficiency"),
        ("AB-1000-X", "AB-1000-Z"),
        ("the x-axis", "the y-axis"),
        ("option (a)", "option (b)"),
        ("R&D budget", "R&B budget"),
        ("rated AA", "rated AA-"),
        ("see https://example.com/a", "see https://example.com/b"),
        ("mail me@example.com", "mail me@example.org"),
        ("\u0433\u0440\u0443\u043f\u043f\u0430 \u0410", "\u0433\u0440\u0443\u043f\u043f\u0430 \u0411"),
    ],
)
def test_names_that_differ(one, other):
    ours, theirs = Named.of(prepared(one)), Named.of(prepared(other))
    assert not ours.shared(theirs)
    assert not theirs.shared(ours)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A cat is here", "a cat is here"),
        ("How do I learn C", "How can a beginner learn C"),
        ("how r u", "how are you"),
        ("room 12A", "room 12 A"),
        ("with my iPhone 6", "with my iphone6"),
        ("a COVID-19 test", "a covid 19 test"),
        ("my E-mail", "my email"),
        ("the U.S. army", "the US army"),
        ("as John F. Kennedy said", "as John Kennedy said"),
        ("Apple's phone", "the phone of Apple"),
        ("pay 5 USD", "pay $5"),
        ("see https://www.example.com/a/.", "see example.com/a or http://example.com/a"),
        ("in World War Two", "in World War 2"),
        ("Ask Pay\u200bPal", "ask PayPal"),
        ("in \u0130stanbul", "istanbul"),
    ],
)
def test_names_that_are_the_same(one, other):
    ours, theirs = Named.of(prepared(one)), Named.of(prepared(other))
    assert ours.shared(theirs)
    assert theirs.shared(ours)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["Paris London is ", "a", "(", "A-", "A1", "a.", "@a", "www.a"])
def test_names_take_time_by_the_length_of_a_text(part):
    started = time.perf_counter()
    Named.of(prepared(part * (1_000_000 // len(part))))
    assert time.perf_counter() - started < 20, "by the square of the length it would be many minutes"


def test_units_are_words_or_characters_of_scripts_without_blanks():
    assert units("Don't re-do it") == ("don", "t", "re", "do", "it")
    assert units("\u6771\u4eac tower\u3067\u3059") == ("\u6771", "\u4eac", "tower", "\u3067", "\u3059")
    assert units("\u0939\u093f\u0928\u094d\u0926\u0940 \u092d\u093e\u0937\u093e") == (
        "\u0939\u093f\u0928\u094d\u0926\u0940",
        "\u092d\u093e\u0937\u093e",
    )
