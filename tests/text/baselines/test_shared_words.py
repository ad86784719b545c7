"""Words that a text shares with a query, by their places."""

import pytest

from textkin.text.baselines.analysers import analyser_of
from textkin.text.baselines.shared_words import shared_words


@pytest.mark.parametrize(
    ("analyser", "query", "text", "shared"),
    [
        ("english", "lost cards", "I LOSE a card; card-holders lost it.", ["card", "card", "lost"]),
        ("plain", "Straße", "Die STRASSE, die strasse", ["STRASSE", "strasse"]),
        ("plain", "naïve cafe", "naïve, nai\u0308ve, café", ["naïve", "nai\u0308ve"]),
        ("english", "the of", "the end of it", []),
        ("hindi", "किताबें", "यह किताब है", ["किताब"]),
        ("plain", "登録する", "会員登録をする", ["登録", "する"]),
        ("plain", "", "anything", []),
        ("plain", "anything", "", []),
        ("plain", "😀 smile", "a 😀 smile 😀", ["smile"]),
    ],
)
def test_places_are_those_of_the_words(analyser: str, query: str, text: str, shared: list[str]) -> None:
    (places,) = shared_words(query, [text], analyser_of(analyser))
    assert [text[start:end] for start, end in places] == shared


def test_pairs_that_overlap_are_one_place() -> None:
    (places,) = shared_words("東京都庁", ["東京都庁と東京"], analyser_of("plain"))
    assert places == [(0, 4), (5, 7)]
