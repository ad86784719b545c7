"""The built-in ranker: which sentence answers a question."""

import pytest

import textkin as tk
from textkin.base.hub import RANKER

pytestmark = pytest.mark.torch

SENTENCES = (
    "The mill on the Aller was built in 1742.",
    "The mill sells flour on Saturdays.",
    "A flood took the wheel of the mill away.",
)


@pytest.mark.parametrize(
    ("question", "right"),
    [("When was the mill built?", 0), ("What can I buy at the mill?", 1), ("What happened to the wheel?", 2)],
)
def test_the_sentence_that_answers_has_the_highest_score(question, right):
    found = list(tk.score([question] * len(SENTENCES), SENTENCES, model=RANKER))
    assert max(range(len(SENTENCES)), key=found.__getitem__) == right


def test_it_reorders_hits():
    (found,) = {row.text for row in tk.search(SENTENCES, "When was the mill built?", k=1, rerank=RANKER)}
    assert found == SENTENCES[0]


def test_it_has_a_threshold_and_probabilities():
    pairs = [("When was the mill built?", one) for one in SENTENCES[:2]]
    right, wrong = tk.score(pairs, model=RANKER).rows()
    assert right.probability > 0.5 > wrong.probability
