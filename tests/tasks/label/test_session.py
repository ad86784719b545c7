"""Label until proven: draws, answers on disk, what is proven, and how seldom wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from textkin.errors import DataError, UsageError
from textkin.tasks.label.answers import LabelAnswer
from textkin.tasks.label.candidates import ScoredTexts, read_scored
from textkin.tasks.label.session import LabelGoal, LabelSession, LabelState, fields_of


def write_pairs(path: Path, count: int = 800) -> Path:
    """Pairs whose score falls with their number."""
    lines = [f"{1 - n / count:.6f}\ttext {n}\tother {n}" for n in range(count)]
    path.write_text("\n".join(["score\ttext_a\ttext_b", *lines]) + "\n")
    return path


def number_of(question: object) -> int:
    return int(str(question.first).split()[1])  # type: ignore[attr-defined]


def judged(session: LabelSession, same: np.ndarray, most: int = 5_000) -> LabelState:
    """Answers as it is, until nothing more can be proven or enough were given."""
    for _ in range(most):
        question = session.next()
        if question is None:
            break
        session.answer(question, LabelAnswer.SAME if same[number_of(question)] else LabelAnswer.DIFFERENT)
    return session.state()


@pytest.fixture
def pairs(tmp_path: Path) -> ScoredTexts:
    return read_scored(write_pairs(tmp_path / "pairs.tsv"))


def test_pairs_come_in_the_order_of_their_scores_and_odd_rows_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text('text_a,score,text_b\n"a, b",0.5,c\nd,nan,e\n ,0.9,f\ng,0.7,h\n')
    found = read_scored(path)
    assert found.texts == (("g", "h"), ("a, b", "c")) and found.scores.tolist() == [0.7, 0.5]
    assert sum(found.read.skipped.values()) == 2 and found.above(0.6) == 1 and found.above(0.5) == 2
    path.write_text("text_a,text_b\na,b\n")
    with pytest.raises(DataError, match="no column 'score'"):
        read_scored(path)


def test_a_threshold_of_true_pairs_is_proven_after_88_labels(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.95, threshold=0.5), tmp_path / "answers")
    state = judged(session, np.ones(800, dtype=bool))
    assert state.proven is not None and state.proven.pairs == 401 and state.draws == 88
    assert state.answered <= 88 and state.aimed is None and state.proven.least >= 0.95
    assert all(one.row < 401 for one in session._file.listed)


def test_the_lowest_threshold_that_reaches_the_goal_is_found(pairs: ScoredTexts, tmp_path: Path) -> None:
    same = np.arange(800) < 450  # the first 200 and 400 are pure, 800 are not
    session = LabelSession(pairs, LabelGoal(precision=0.9), tmp_path / "answers")
    assert [one.pairs for one in session.state().thresholds] == [100, 200, 400, 800]
    state = judged(session, same)
    assert state.proven is not None and state.proven.pairs == 400
    assert "proven from score" in state.sentence


def test_texts_are_shown_in_either_order_and_no_score_is(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.95), tmp_path / "answers")
    firsts = set()
    for _ in range(20):
        question = session.next()
        assert question is not None
        firsts.add(question.first.split()[0])
        session.answer(question, LabelAnswer.SAME)
    assert firsts == {"text", "other"} and not hasattr(question, "score")


def test_answers_survive_a_kill_and_the_session_goes_on_just_so(pairs: ScoredTexts, tmp_path: Path) -> None:
    goal, path = LabelGoal(precision=0.9, seed=3), tmp_path / "answers"
    whole = LabelSession(pairs, goal, tmp_path / "whole")
    judged(whole, np.arange(800) % 50 > 0, 30)
    for size in (10, 20):
        judged(LabelSession(pairs, goal, path), np.arange(800) % 50 > 0, 10)
        with path.open("ab") as stream:
            stream.write(b'{"row": 3, "among"')  # what a kill has left of the next write
        assert len(LabelSession(pairs, goal, path)._file.listed) >= size
    judged(LabelSession(pairs, goal, path), np.arange(800) % 50 > 0, 10)
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_answer_can_be_taken_back(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.95), tmp_path / "answers")
    assert not session.undo()
    first = session.next()
    assert first is not None
    session.answer(first, LabelAnswer.DIFFERENT, by="ann", note="a slip")
    assert session.undo() and session.state().draws == 0
    again = LabelSession(pairs, LabelGoal(precision=0.95), tmp_path / "answers")
    assert again.state().draws == 0 and "a slip" in again.path.read_text()
    with pytest.raises(UsageError, match="not the one"):
        question = again.next()
        assert question is not None
        again.answer(type(question)(question.row + 1, question.among, "", ""), LabelAnswer.SAME)


def test_the_unsure_count_against_the_goal_and_are_no_labels(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.9, threshold=0.0), tmp_path / "answers")
    for answer in (LabelAnswer.SAME, LabelAnswer.UNSURE, LabelAnswer.DIFFERENT):
        question = session.next()
        assert question is not None
        session.answer(question, answer)
    state = session.state()
    assert (state.answered, state.unsure, state.thresholds[0].same) == (3, 1, 1)
    assert session.export(tmp_path / "out.tsv") == 2
    found = tk.load_pairs(tmp_path / "out.tsv").data
    assert [one.label for one in found.pairs] == [1, 0]
    assert fields_of(state)["thresholds"][0]["labels"] == 3


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"kind": "other"}', "holds no labels"),
        ("[1]", "no JSON object"),
        ("", "no JSON object"),
    ],
)
def test_a_file_of_another_kind(pairs: ScoredTexts, tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "answers").write_text(line + "\n")
    with pytest.raises(DataError, match=said):
        LabelSession(pairs, LabelGoal(precision=0.9), tmp_path / "answers")


@pytest.mark.parametrize("change", [{"row": 900}, {"row": -1}, {"answer": "maybe"}, {"among": "x"}])
def test_a_broken_answer(pairs: ScoredTexts, tmp_path: Path, change: dict[str, object]) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.9), tmp_path / "answers")
    judged(session, np.ones(800, dtype=bool), 1)
    head, line = session.path.read_text().splitlines()
    session.path.write_text(f"{head}\n{json.dumps({**json.loads(line), **change})}\n")
    with pytest.raises(DataError, match="2: is no answer"):
        LabelSession(pairs, LabelGoal(precision=0.9), session.path)


def test_a_session_is_not_gone_on_with_otherwise(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.9), tmp_path / "answers")
    judged(session, np.ones(800, dtype=bool), 1)
    with pytest.raises(DataError, match=r"precision 0\.9, not 0\.95"):
        LabelSession(pairs, LabelGoal(precision=0.95), session.path)
    write_pairs(tmp_path / "pairs.tsv", 801)
    with pytest.raises(DataError, match="pairs_sha256"):
        LabelSession(read_scored(tmp_path / "pairs.tsv"), LabelGoal(precision=0.9), session.path)


def test_of_many_sessions_few_prove_what_is_not_so(tmp_path: Path) -> None:
    random, wrong, sessions = np.random.default_rng(1), 0, 40
    read = read_scored(write_pairs(tmp_path / "pairs.tsv", 400))
    for number in range(sessions):
        same = np.ones(400, dtype=bool)
        for size in (100, 200, 400):  # every threshold just misses the goal
            false = int(size * 0.1) + 1 - int((~same[:size]).sum())
            same[random.choice(np.flatnonzero(same[:size]), false, replace=False)] = False
        session = LabelSession(read, LabelGoal(precision=0.9, seed=number), tmp_path / f"answers-{number}")
        wrong += judged(session, same, 150).proven is not None
    assert wrong <= 6  # of 40 with a chance of .05 each, more come once in 300 times


def test_two_sessions_on_one_file_take_turns(pairs: ScoredTexts, tmp_path: Path) -> None:
    goal = LabelGoal(precision=0.95, threshold=0.5)
    first, second = (LabelSession(pairs, goal, tmp_path / "answers") for _ in range(2))
    asked, same = first.next(), second.next()
    assert asked is not None and asked == same
    first.answer(asked, LabelAnswer.SAME, by="ann")
    with pytest.raises(UsageError, match="not the one"):
        second.answer(asked, LabelAnswer.DIFFERENT, by="bob")
    following = second.next()
    assert following is not None and following == first.next()
    assert second.answer(following, LabelAnswer.SAME, by="bob").answered == 2
    assert [one.by for one in first._file.listed] == ["ann"] and first.state().answered == 2
    assert first.undo() and first.state().answered == 1
