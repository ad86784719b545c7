import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textkin.base.text_equality import Equal, key_of, keys_of


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("How do I reset my Pass-word?", "howdoiresetmypassword"),
        ("  snake_case 42 ", "snakecase42"),
        ("STRAẞE", "straße"),
        ("ﬁne ①", "fine①"),
        ("İZMİR", "izmir"),
        ("ΟΔΟΣ", "οδοσ"),
        ("CAFE\u0301", "café"),
        ("ok \u2764\ufe0f", "ok"),
        ("", ""),
    ],
)
def test_letters_and_digits_stay(text, key):
    assert key_of(text) == key


def test_texts_without_letters_keep_apart():
    assert key_of(" ??? ") == "???"
    assert len({key_of(text) for text in ("???", "!!!", "😀", "😢", "a")}) == 5
    assert key_of("？？？") == key_of("???")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\U0001f1e9\U0001f1ea 1\ufe0f\u20e3", "\U0001f1eb\U0001f1f7 1\ufe0f\u20e3"),  # flags, keycaps
        ("\U0001f600 10", "\U0001f622 10"),
        ("5 + 3", "5 < 3"),
        ("$5", "\u20ac5"),
        ("\U0001f3f4\U000e0067\U000e0062 2", "\U0001f3f4\U000e0066\U000e0072 2"),  # flags by their tags
    ],
)
def test_symbols_beside_digits_alone_keep_texts_apart(one, other):
    assert key_of(one) != key_of(other)
    assert key_of(one) == key_of(f" {one}! ")


def test_symbols_beside_letters_do_not():
    assert key_of("I \U0001f494 Berlin 1") == key_of("I Berlin 1")


def test_vowel_signs_belong_to_their_letters():
    assert key_of("की") != key_of("का")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10² m", "102 m"),
        ("2⁵", "25"),
        ("CO₂ 5", "CO2 5"),
        ("2ⁿ", "2n"),
        ("x10⁻³", "x10³"),
        ("1½ cups", "11⁄2 cups"),
        ("1 1/2 cups", "11/2 cups"),
        ("room 1①", "room 11"),
        ("⒈5 %", "1.5 %"),
        ("5㋀", "51月"),
        ("Maße", "Masse"),
        ("20 ℃", "20 ℉"),
        ("iOS 1.5", "iOS 15"),
        ("from 1 to 5", "from 15"),
        ("12 3", "1 23"),
    ],
)
@pytest.mark.parametrize("equal", Equal)
def test_numbers_in_another_way_are_never_equal(one, other, equal):
    assert key_of(one, equal) != key_of(other, equal)


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        ("a", "a", Equal.EXACT),
        ("ﬁle", "file", Equal.FORM),
        ("ＡＢ１", "AB1", Equal.FORM),
        ("cafe\u0301", "café", Equal.FORM),
        ("a\u00a0 b\u200b ", "a b", Equal.FORM),
        ("soft\u00adware", "software", Equal.FORM),
        ("Louis Ⅳ", "Louis IV", Equal.FORM),
        ("20 ℃", "20 °C", Equal.FORM),
        ("5 ㎡", "5 m²", Equal.FORM),
        ("ｶﾞ", "ガ", Equal.FORM),
        ("İZMİR", "izmir", Equal.CASE),
        ("STRAẞE", "straße", Equal.CASE),
        ("ΟΔΟΣ", "οδος", Equal.CASE),
        ("pass-word?", "Password", Equal.LETTERS),
        ("1,000,000 m", "1000000 m", Equal.LETTERS),
        ("3 - 5 days", "3.5 days!", Equal.LETTERS),
    ],
)
def test_each_level_ignores_more(one, other, least):
    ignoring = list(Equal)[list(Equal).index(least) :]
    assert [equal for equal in Equal if key_of(one, equal) == key_of(other, equal)] == ignoring


@pytest.mark.parametrize("equal", Equal)
@given(text=st.text())
@example(text="ΑΣ\u0307")
@example(text="¨ ´ ½İ\u200b")
def test_a_key_is_its_own(text, equal):
    key = key_of(text, equal)
    assert key_of(key, equal) == key


@given(st.text())
@example("e-\u0301")
def test_a_key_has_letters_or_is_all_there_is(text):
    key = key_of(text)
    assert any(map(str.isalnum, key)) == any(map(str.isalnum, text))


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_the_short_way_for_ascii_agrees_with_the_long_one(text):
    beside = f"{text} \u4e00"  # one letter more; symbols next to it are dropped
    letters = any(map(str.isalpha, text))
    assert not letters or key_of(beside) == f"{key_of(text)}\u4e00"


def test_keys_of_distinct_texts():
    assert keys_of(["A!", "b", "A!"]) == {"A!": "a", "b": "b"}
    assert keys_of(["A!", "a!"], Equal.CASE) == {"A!": "a!", "a!": "a!"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("5 mW of power", "5 MW of power", False),
        ("a 10 Mb file", "a 10 MB file", False),
        ("5m away", "5M away", False),
        ("at 3 GHz", "AT 3 GHz", True),
        ("5 Men", "5 men", True),
        ("Size M", "size m", True),
    ],
)
def test_the_case_of_a_unit_counts(one, other, same):
    assert (key_of(one, Equal.CASE) == key_of(other, Equal.CASE)) is same
    assert key_of(one) == key_of(other)  # splits keep both on one side
