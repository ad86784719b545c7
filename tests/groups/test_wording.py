import pytest

from textkin.groups.wording import names, negation, numbers, units


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


def test_units_are_words_or_characters_of_scripts_without_blanks():
    assert units("Don't re-do it") == ("don", "t", "re", "do", "it")
    assert units("\u6771\u4eac tower\u3067\u3059") == ("\u6771", "\u4eac", "tower", "\u3067", "\u3059")
    assert units("\u0939\u093f\u0928\u094d\u0926\u0940 \u092d\u093e\u0937\u093e") == (
        "\u0939\u093f\u0928\u094d\u0926\u0940",
        "\u092d\u093e\u0937\u093e",
    )
