import bm25s
import numpy as np
import pytest
import snowballstemmer
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.reference import analysed as reference
from tests.reference import pair_scores
from textkin.base.errors import UsageError
from textkin.text.baselines import build, with_analyser
from textkin.text.baselines.analysers import LANGUAGES, analyser_of
from textkin.text.baselines.bm25 import Bm25
from textkin.text.baselines.names import ANALYSED, BASELINES
from textkin.text.baselines.stop_words import LISTED, stop_words
from textkin.text.baselines.tfidf import TfIdf

TEXTS = (
    "the of running runner connections Connected caf\u00e9 cafe\u0301 na\u00efve don't",
    "\u00c6ther x 42 \ufb01ne co-op a_b",
)
WORDS = " ".join(TEXTS).split(" ")
LETTERS = "aeiouyn\u0308\u0301\u0327 \u00e9\u00df\u0142'_-\u0915\u093e\u0439\u03ac"
HINDI = "\u091a\u0941\u0928\u093e\u0935 \u0915\u0940 \u0930\u093e\u091c\u0928\u0940\u0924\u093f"
SCRIPTS = "密码図のカ한비กดี၀မြន်ខ្មែ1½²₃™㎏Ⓐⓑ\u200b\u00ad\ufe0f\u20e3𝐦İıﬁΣςمُـ"
TEXT = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    st.text(max_size=12),
    st.text(alphabet=LETTERS, max_size=14),
    st.text(alphabet=SCRIPTS + LETTERS, max_size=10),
)


def terms(text, name):
    analyser = analyser_of(name)
    return [term for word in analyser.words(text) for term in analyser.terms(word)]


@pytest.mark.slow
@given(text=TEXT, language=st.sampled_from(["english", "german", "french", "hindi", "russian", "greek"]))
@example(text=HINDI, language="hindi")
@settings(max_examples=300)
def test_a_language_reads_as_the_slow_way_does(text, language):
    assert terms(text, language) == reference.terms(text, language, stop_words(language))


def test_what_the_analysers_make_of_a_text():
    text = "The Runners' running connects with connections; r\u00e9sum\u00e9s don't."
    assert terms(text, "plain") == [
        *("the", "runners", "running", "connects", "with", "connections", "r\u00e9sum\u00e9s", "don", "t")
    ]
    assert terms(text, "english") == ["runner", "run", "connect", "connect", "resum", "t"]
    assert terms("Die H\u00e4user der Stra\u00dfe", "german") == terms("das Haus in den Strassen", "german")


@pytest.mark.slow
@given(text=TEXT)
@settings(max_examples=300)
def test_words_are_those_of_the_slow_way(text):
    assert terms(text, "plain") == reference.plain(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AB-1000-X, Windows 7", ["ab", "1000", "x", "windows", "7"]),
        ("登录密码", ["登", "登录", "录", "录密", "密", "密码", "码"]),
        ("図書館で15", ["図", "図書", "書", "書館", "館", "館で", "15"]),
        ("비밀을", ["비", "비밀", "밀", "밀을", "을"]),
        ("สวัสดี", ["สว", "วั", "ัส", "สด", "ดี"]),
        ("किताब वापस", ["किताब", "वापस"]),
        ("cafe\u0301 Tiê\u0301ng", ["café", "tiếng"]),
        ("İzmir DİYARBAKIR Diyarbakır", ["izmir", "diyarbakir", "diyarbakir"]),
        ("ﬁrst oﬃce ｆｕｌｌ 𝐦𝐚𝐭𝐡", ["first", "office", "full", "math"]),
        ("pass\u200bword hy\u00adphen \ufeffway", ["password", "hyphen", "way"]),
        ("10² 102 m² 2½", ["10", "2", "102", "m2", "2", "1", "2"]),
        ("Windows™ 5㎏ №7", ["windows", "tm", "5", "kg", "no", "7"]),
        ("مُحَمَّد كتـــاب שָׁלוֹם", ["محمد", "كتاب", "שלום"]),
        ("ΟΔΟΣ οδος Straße", ["οδοσ", "οδοσ", "strasse"]),
    ],
)
def test_words_in_many_scripts(text, expected):
    assert terms(text, "plain") == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_stems(language):
    assert language in snowballstemmer.algorithms()
    assert terms("4711", language) == ["4711"]
    assert terms("unknownish", "plain") == ["unknownish"]


@pytest.mark.slow
def test_stop_words_are_whole_words_of_their_language():
    assert set(LISTED) <= set(LANGUAGES)
    for language in LISTED:
        listed = stop_words(language)
        assert 60 <= len(listed) <= 250
        for word in listed:  # otherwise it could never be met
            [read] = analyser_of(language).words(word)
            assert analyser_of(language).terms(read) == []
    assert stop_words("turkish") == frozenset()


DOCUMENTS = [
    "the runners were running",
    "a connection",
    "caf\u00e9s and connections of the runner",
    "the of and",
]


@pytest.mark.slow
@given(query=TEXT, document=TEXT)
@settings(max_examples=100)
def test_scores_are_those_of_the_formulas_over_the_terms(query, document):
    words = [terms(text, "english") for text in DOCUMENTS]
    pair = terms(query, "english"), terms(document, "english")
    english = analyser_of("english")
    assert Bm25.fit(DOCUMENTS, analyser=english).score([(query, document)])[0] == pytest.approx(
        pair_scores.bm25(*pair, words, k1=1.5, b=0.75), rel=1e-5, abs=1e-6
    )
    assert TfIdf.fit(DOCUMENTS, analyser=english).score([(query, document)])[0] == pytest.approx(
        pair_scores.tfidf_cosine(*pair, words), abs=1e-6
    )


def test_bm25_is_that_of_bm25s_over_the_terms():
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    theirs.index([terms(text, "english") for text in DOCUMENTS], show_progress=False)
    scores = Bm25.fit(DOCUMENTS, analyser=analyser_of("english")).score(
        [("Running for caf\u00e9 connections", text) for text in DOCUMENTS]
    )
    expected = theirs.get_scores(terms("Running for caf\u00e9 connections", "english"))
    assert scores.max() > 0
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)


def test_baselines_are_named_by_their_analyser():
    assert with_analyser(["bm25", "tfidf-char", "tfidf", "bm25:german", "runs/x"], "english") == (
        *("bm25:english", "tfidf-char", "tfidf:english", "bm25:german", "runs/x"),
    )
    assert with_analyser(["bm25", "anything"], "plain") == ("bm25", "anything")
    for name in ANALYSED:
        assert f"{name}:portuguese" in BASELINES
        assert build(f"{name}:portuguese", fit_texts=["casas e carros"]).name == f"{name}:portuguese"


def test_unknown_analysers_and_those_that_nothing_takes():
    with pytest.raises(UsageError) as error:
        with_analyser(["bm25"], "englsh")
    assert error.value.params == ("analyser",)
    with pytest.raises(UsageError) as error:
        with_analyser(["tfidf-char", "runs/x"], "english")
    assert error.value.params == ("analyser",)
    with pytest.raises(UsageError) as error:
        build("tfidf-char:english", fit_texts=["a text"])
    assert error.value.params == ("model",)
