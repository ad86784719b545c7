from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.models.choosers.test_question_answer import Table
from textkin.base.errors import DataError, UsageError
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.protocols import Chooser, Side
from textkin.models.choosers.support import OWN, SupportChooser, sentences_of
from textkin.text.baselines import build

FACTS = ["The sun melts ice.", "Birds sing songs.", "Fish live in the sea.", "Ice is cold water."]
QUESTIONS = [
    ChoiceQuestion("1", "What melts ice?", ("a song", "the sun", "zebra")),
    ChoiceQuestion("2", "Who sings?", ("birds", "fish")),
]
PLOT = ChoiceQuestion("3", "Who wins?", ("Ann", "Bob"), support=("Ann loses. Bob wins the race.", "It ends."))


@pytest.mark.parametrize("name", ["lucene-classic", "bm25", "tfidf"])
def test_the_best_sentence_decides(name: str) -> None:
    scorer = build(name, fit_texts=FACTS)
    chooser = SupportChooser(scorer, FACTS)
    assert isinstance(chooser, Chooser) and chooser.name == f"support:{name}"
    scores, told = chooser.choose(QUESTIONS), list(chooser.explain(QUESTIONS))
    for question, row, one in zip(QUESTIONS, scores, told, strict=True):
        for place, choice in enumerate(question.choices):
            every = scorer.score([(f"{question.question} {choice}", fact) for fact in FACTS])
            assert row[place] == pytest.approx(every.max(), rel=1e-5)
            (vote,) = one.choices[place].votes
            assert (vote.text, vote.source) == (FACTS[every.argmax()], str(every.argmax() + 1))
            assert vote.product == vote.question_score == one.choices[place].score
        assert one.chosen == int(np.nanargmax(row))
    assert np.isnan(scores[1, 2])


def test_a_judge_sees_what_was_found() -> None:
    judge = Table(
        "judge", {("What melts ice? the sun", FACTS[3]): 2.0, ("What melts ice? a song", FACTS[1]): 1.5}
    )
    scorer = build("bm25", fit_texts=FACTS)
    deep = SupportChooser(scorer, FACTS, ids=["s", "b", "f", "i"], judge=judge, depth=4)
    assert deep.choose(QUESTIONS[:1]).tolist() == [
        [0.0, 2.0, 0.0]
    ]  # "a song" has no word of "Birds sing songs"
    (told,) = deep.explain(QUESTIONS[:1], most=2)
    assert [vote.source for vote in told.choices[1].votes] == ["i", "s"]
    assert SupportChooser(scorer, FACTS, judge=judge, depth=1).choose(QUESTIONS[:1]).max() == 0


def test_a_choice_without_any_sentence_is_no_better_than_the_worst() -> None:
    judge = Table("judge", {("sun x", FACTS[0]): -3.0, ("sun moon", FACTS[0]): -1.0})
    chooser = SupportChooser(build("bm25", fit_texts=FACTS), FACTS, judge=judge)
    question = ChoiceQuestion("q", "sun", ("x", "moon"))
    assert chooser.choose([question]).tolist() == [[-3.0, -1.0]]
    nothing = ChoiceQuestion("q", "zebra", ("none", "sun"))
    assert chooser.choose([nothing]).tolist() == [[0.0, 0.0]]


def test_a_questions_own_texts_stand_for_the_corpus() -> None:
    scorer = build("lucene-classic", fit_texts=sentences_of(PLOT.support))
    chooser = SupportChooser(scorer)
    (told,) = chooser.explain([PLOT])
    assert told.chosen == 1
    assert (told.choices[1].votes[0].source, told.choices[1].votes[0].text) == (OWN, "Bob wins the race.")
    mixed = SupportChooser(build("bm25", fit_texts=FACTS), FACTS).choose([QUESTIONS[0], PLOT, QUESTIONS[1]])
    assert mixed.argmax(axis=1).tolist()[0] == 1
    with pytest.raises(UsageError) as error:
        chooser.choose([QUESTIONS[0]])
    assert error.value.params == ("support",)


class Short:
    """An encoder, or a judge of pairs, that reads some words only."""

    name, dim, has_sides = "short", 2, False

    def __init__(self, most: int, *, reads_pairs: bool = False) -> None:
        self.max_tokens, self.reads_pairs = most, reads_pairs

    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> np.ndarray:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def encode(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> np.ndarray:
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    def score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        return np.zeros(len(pairs), dtype=np.float32)


def test_what_is_cut_is_counted_in_what_is_read() -> None:
    chooser = SupportChooser(Short(4), FACTS)
    assert chooser.truncation is None
    for _ in range(2):  # the same again counts once
        chooser.choose(QUESTIONS)
    cut = chooser.truncation
    assert cut is not None and (cut.texts, cut.cut, cut.longest, cut.unread) == (9, 3, 5, 3)
    judge = Short(8, reads_pairs=True)
    judged = SupportChooser(build("bm25", fit_texts=FACTS), FACTS, judge=judge, depth=1)
    judged.choose([QUESTIONS[0]])
    cut = judged.truncation
    assert cut is not None and (cut.texts, cut.cut, cut.longest, cut.unit) == (3, 2, 9, "pair")


def test_what_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        SupportChooser(build("bm25", fit_texts=FACTS), FACTS, depth=0)
    assert (error.value.params, error.value.value) == (("depth",), 0)
    with pytest.raises(UsageError) as error:
        SupportChooser(build("random", fit_texts=FACTS), FACTS)
    assert error.value.params == ("model",)
    broken = Table("broken", {("What melts ice? a song", FACTS[0]): float("inf")})
    with pytest.raises(DataError) as error:
        SupportChooser(build("bm25", fit_texts=FACTS), FACTS, judge=broken).choose(QUESTIONS[:1])
    assert (error.value.params, error.value.expected) == (("broken",), "finite numbers")


def test_a_judge_sees_the_pairs_of_many_questions_together(monkeypatch):
    monkeypatch.setattr("textkin.models.choosers.support._AT_ONCE", 3)
    facts = ["the sun melts ice", "birds sing songs", "ice is cold water", "fish swim"]
    asked = [
        ChoiceQuestion("1", "What melts ice?", ("a song", "the sun")),
        ChoiceQuestion("2", "What swims?", ("fish", "nothing at all here", "ice")),
        ChoiceQuestion("3", "zzz", ("xxx", "yyy")),
    ]

    class Judge:
        name = "judge"

        def __init__(self):
            self.calls = []

        def score(self, pairs):
            self.calls.append(len(pairs))
            return np.array([len(set(a.split()) & set(b.split())) for a, b in pairs], dtype=np.float32)

    judge = Judge()
    chooser = SupportChooser(build("lucene-classic", fit_texts=facts), facts, judge=judge, depth=2)
    together = chooser.choose(asked)
    assert len(judge.calls) <= 3
    monkeypatch.setattr("textkin.models.choosers.support._AT_ONCE", 1)
    np.testing.assert_array_equal(chooser.choose(asked), together)
    words = [set(f"{asked[0].question} {choice}".split()) for choice in asked[0].choices]
    best = [max(len(one & set(fact.split())) for fact in facts) for one in words]
    assert together[0, :2].tolist() == best
