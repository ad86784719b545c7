import pytest

from textkin.vectors.groups.word_order import OrderedText, traded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Microsoft sued Apple over patents", "Why did Apple sue Microsoft?"),
        ("The path leads from 5 to 7.", "Go from 7 to 5"),
        ("How do I convert from two to five?", "Converting from 5 to 2"),
        ("Did A sue B last year?", "Is it true that B sued A?"),
        ("Will Ted Cruz vote for Donald Trump?", "Will Donald Trump vote for Ted Cruz one day?"),
        # the same order, and yet the reverse
        ("Yesterday Microsoft sued Apple", "We heard that Microsoft was sued by Apple"),
    ],
)
def test_a_claim_and_its_reverse(one, other):
    ours, theirs = OrderedText.of(one), OrderedText.of(other)
    assert traded(ours, theirs)
    assert traded(theirs, ours)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Yesterday Microsoft sued Apple", "We heard that Apple was sued by Microsoft"),
        ("Is it Trump or Clinton?", "Will it be Clinton or Trump?"),
        ("the ban of Rs 500 and Rs 1000", "the ban on 1000 and 500 rs notes"),
        ("Is Mona Lisa by Leonardo good?", "Does Leonardo paint better than Mona Lisa does?"),
        ("In 2016 the vote went to Trump", "Trump got the vote in 2016"),
        ("Does Apple like Apple and Microsoft?", "Does Microsoft like Apple, or Apple Apple?"),
        ("cats afraid of tigers", "tigers afraid of big cats"),  # no names
        ("", "?!"),
    ],
)
def test_what_is_only_said_in_another_way(one, other):
    assert not traded(OrderedText.of(one), OrderedText.of(other))
    assert not traded(OrderedText.of(other), OrderedText.of(one))


def test_no_text_is_its_own_reverse():
    for text in ("Why did Apple sue Microsoft?", "from 5 to 7", "Apple was sued by Microsoft"):
        assert not traded(OrderedText.of(text), OrderedText.of(text.upper()))


@pytest.mark.slow
def test_a_text_of_thousands_of_names_is_read_in_time():
    text = "and " + " sees ".join(
        f"Name{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}{n // 676}" for n in range(3000)
    )
    assert not traded(OrderedText.of(text), OrderedText.of(text))
