import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.text.tokenisers import TOKENISERS, character_ngrams, tokeniser


def cut(name, text):
    return " | ".join(tokeniser(name)(text))


def test_words_are_unicode_and_punctuation_stands_alone():
    assert (
        cut("words", "Naïve café: isn't it 3.5?!")
        == "Naïve | café | : | isn | ' | t | it | 3 | . | 5 | ? | !"
    )


def test_whitespace_keeps_everything_else():
    assert cut("whitespace", " a,b\tc\u00a0d\n") == "a,b | c | d"


def test_keras_keeps_the_apostrophe_only():
    assert cut("keras", "Don't PANIC (x_1)! a-b") == "don't | panic | x | 1 | a | b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop, Mr. Ray.", "Do | n't | stop | , | Mr. | Ray | ."),
        ("I can't. We cannot.", "I | ca | n't | . | We | can | not | ."),
        ("The U.S. has 1,000.50 at 9:30, a,b", "The | U.S. | has | 1,000.50 | at | 9:30 | , | a | , | b"),
        ("A U.S. Army. The end", "A | U.S. | Army | . | The | end"),
        ("J. R. Smith, Jr. Esq.", "J. | R. | Smith | , | Jr. | Esq | ."),
        ("What's the dogs' 'best' food?", "What | 's | the | dogs | ' | ' | best | ' | food | ?"),
        ('He said "Yes." (Really?)', 'He | said | " | Yes | . | " | ( | Really | ? | )'),
        ("wait... no--yes and/or well-known", "wait | ... | no | -- | yes | and/or | well-known"),
        ("AT&T's $5 #1 C++", "AT | & | T | 's | $ | 5 | # | 1 | C++"),
        ("They’re I'd've GONNA", "They | ’re | I | 'd | 've | GON | NA"),
        ("'", "'"),
        (". .. -", ". | .. | -"),
    ],
)
def test_treebank(text, expected):
    assert cut("treebank", text) == expected


@pytest.mark.parametrize("name", ["words", "whitespace", "treebank"])
@given(
    text=st.text(alphabet=st.sampled_from(list("aB.,:;-'\"’!?()&# 1\tné…")) | st.characters(codec="utf-8"))
)
def test_no_character_is_lost_or_made_up(name, text):
    tokens = tokeniser(name)(text)
    assert "".join(tokens) == "".join(text.split())
    assert all(tokens)


@given(st.text())
def test_keras_words_are_lower_case_and_clean(text):
    for token in tokeniser("keras")(text):
        assert token == token.lower()
        assert not set(token) & set('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~ \t\n')


def test_an_unknown_tokeniser_is_named_with_its_neighbour():
    with pytest.raises(UsageError) as error:
        tokeniser("treebnk")
    assert error.value.params == ("tokenise",)
    assert set(TOKENISERS) == {"words", "whitespace", "treebank", "keras"}


def test_ngrams_of_a_marked_word():
    assert character_ngrams("where", 3, 3) == ["<wh", "whe", "her", "ere", "re>"]
    assert character_ngrams("ab", 1, 2) == ["<a", "a", "ab", "b", "b>"]
    assert character_ngrams("a", 5, 6) == []
    assert character_ngrams("a", 3, 6) == ["<a>"]


def test_a_tokeniser_of_ones_own_is_annotated(own_module):
    name = own_module(
        """
        def halves(text: str) -> list[str]:
            return [text[: len(text) // 2], text[len(text) // 2 :]]

        def bare(text): return text.split()
        def wide(text: str, n: int = 2) -> list[str]: return text.split()
        def failing(text: str) -> list[str]: return text.none()
        def broken(text: str) -> list[str]: return ["\\ud83d"]
        """
    )
    split = tokeniser(f"{name}:halves")
    assert split("abcd") == ["ab", "cd"]
    for wrong in (split, tokeniser(f"{name}:failing"), tokeniser(f"{name}:broken")):
        with pytest.raises(UsageError) as error:
            wrong("a")
        assert error.value.params == ("tokenise",)
    for part in ("bare", "wide", "nothing"):
        with pytest.raises(UsageError) as error:
            tokeniser(f"{name}:{part}")
        assert error.value.value == f"{name}:{part}"
