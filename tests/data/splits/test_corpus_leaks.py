from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.base.shingles import jaccard, shingles
from textkin.base.text_equality import key_of
from textkin.data.splits.corpus_leaks import corpus_leaks

TEXTS = st.lists(st.text(alphabet="abcAB ?", max_size=14), max_size=12)


@pytest.mark.slow
@given(questions=TEXTS, texts=TEXTS, near=st.sampled_from([0.2, 0.5, 0.8, 1.0]))
@settings(max_examples=200)
def test_all_and_only_those_that_are_alike(questions: list[str], texts: list[str], near: float) -> None:
    found = corpus_leaks(questions, texts, near=near)
    same, close = set(), set()
    for place, one in enumerate(map(key_of, questions)):
        for other_place, other in enumerate(map(key_of, texts)):
            if one and one == other:
                same.add((place, other_place))
            elif one and other and jaccard(shingles(one), shingles(other)) >= near:
                close.add((place, other_place))
    assert found.same == tuple(sorted(same))
    assert found.near == tuple(sorted(close))
    assert corpus_leaks(questions, texts, near=None).near == ()


def test_what_is_left_out() -> None:
    questions = ["When does the water in a pot boil at sea level?", "Who sings?", "What melts ice?"]
    texts = ["Other", "who SINGS", "When does water in a pot boil at sea level?", "Who sings?"]
    found = corpus_leaks(questions, texts, near=0.7)
    assert found.same == ((1, 1), (1, 3))
    assert found.near == ((0, 2),)
    assert found.questions == {0, 1}
    assert found.texts == {1, 2, 3}
    with pytest.raises(UsageError) as error:
        corpus_leaks(questions, texts, near=1.5)
    assert (error.value.params, error.value.value) == (("near",), 1.5)
