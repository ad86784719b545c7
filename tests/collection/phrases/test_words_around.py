import numpy as np
import pytest

from textkin.collection.phrases.words_around import NO_WORD, IndexedWords, asked_words, places_in, words_of


def test_words_have_places_and_stems_one_number():
    text = "Mills, the mill's milling — Résumés"
    numbers, starts, ends = words_of(text)
    found = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    assert found == ["Mills", "the", "mill", "s", "milling", "Résumés"]
    assert numbers[0] == numbers[2] == numbers[4] >= 0
    assert numbers[1] == NO_WORD != numbers[3]
    [resume] = asked_words(["resume"])
    assert numbers[5] == resume


@pytest.mark.parametrize("text", ["", "—", "\ud800", "字字字 mill"])
def test_texts_of_all_kinds(text):
    numbers, starts, ends = words_of(text)
    assert len(numbers) == len(starts) == len(ends)
    assert (ends >= starts).all() and (starts >= 0).all() and (np.diff(starts) >= 0).all()


def test_pairs_of_a_script_without_spaces_have_places_of_their_own():
    _, starts, ends = words_of("北京是中华人民")
    assert len(starts) > 3 and starts[0] == 0 and ends[-1] == 7
    assert (starts[1:] == ends[:-1]).all()


def test_each_asked_word_counts_once():
    asked = asked_words(["mills of the mill", "of the"])
    assert [len(one) for one in asked] == [1, 0]


def test_places_of_tokens_among_words():
    _, starts, ends = words_of("old stone bridge")
    offsets = np.array([[0, 3], [4, 7], [7, 9], [9, 9], [10, 16]])
    # The parts of a word begin after it begins, and end before it ends.
    assert places_in(offsets, starts, ends).tolist() == [[0, 1], [1, 2], [1, 2], [2, 2], [2, 3]]


def test_a_word_that_no_passage_has():
    words = IndexedWords(np.array([[5, 0], [7, 0], [5, 2]], dtype=np.int32), passages=3)
    none = words.hits(np.array([6], dtype=np.int32))
    assert len(none.places) == 0 and none.passages.tolist() == [0, 0, 0]
    some = words.hits(np.array([5], dtype=np.int32))
    assert some.places.tolist() == [0, 2]
    assert some.passages[1] == 0 < some.passages[0] < some.passages[2]  # the shorter passage counts more
