"""Labelling until proven: draws, answers on disk, proofs, and their error rate."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.measures.labels.answer_file import LabelAnswer
from textkin.measures.labels.draws import Draw, DrawnLabels
from textkin.measures.labels.scored_pairs import ScoredTexts, read_scored
from textkin.verbs.label.progress import LabelState, fields_of
from textkin.verbs.label.session import LabelGoal, LabelSession, Question

pytestmark = pytest.mark.long


def write_pairs(path: Path, count: int = 800) -> Path:
    """Pairs whose score falls with their number."""
    lines = [f"{1 - n / count:.6f}\ttext {n}\tother {n}" for n in range(count)]
    path.write_text("\n".join(["score\ttext_a\ttext_b", *lines]) + "\n")
    return path


def number_of(question: object) -> int:
    return int(str(question.first).split()[1])  # type: ignore[attr-defined]


def judged(session: LabelSession, same: np.ndarray, most: int = 5_000) -> LabelState:
    """Correct answers, until nothing more can be proven or enough were given."""
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
    with pytest.raises(DataError) as error:
        read_scored(path)
    assert str(error.value.path).endswith("pairs.csv")


def test_a_threshold_of_true_pairs_is_proven_by_few_labels(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.95, threshold=0.5), tmp_path / "answers")
    state = judged(session, np.ones(800, dtype=bool))
    assert state.proven is not None and state.proven.pairs == 401 and state.answered == 64
    assert state.aimed is None and state.proven.least >= 0.95
    assert all(one.row < 401 for one in session._file.listed)


def test_no_pair_is_drawn_twice_and_when_all_are_judged_it_is_sure(tmp_path: Path) -> None:
    read = read_scored(write_pairs(tmp_path / "pairs.tsv", 30))
    same = np.arange(30) > 0  # 29 of 30: at least .95, as only the last label can show
    session = LabelSession(read, LabelGoal(precision=0.95, threshold=0.0), tmp_path / "answers")
    state = judged(session, same)
    assert state.proven is not None and state.proven.least == 29 / 30 and session.next() is None
    assert [len(session._file.draws), len({one.row for one in session._file.draws})] == [30, 30]
    worse = LabelSession(read, LabelGoal(precision=0.95, threshold=0.0), tmp_path / "worse")
    state = judged(worse, np.arange(30) > 1)
    assert state.proven is None and state.aimed is None and state.answered < 30, "two are wrong: too many"


def test_draws_of_a_part_are_known_and_say_nothing_of_the_others() -> None:
    draws = [Draw(row, 10) for row in range(10)] + [Draw(row, 20) for row in (15, 12, 17)]
    labels: dict[int, bool | None] = {row: row != 15 for row in range(20)}
    drawn = DrawnLabels((0.5, 0.2), (10, 20), 20, draws, labels)
    found = drawn.blind(20)
    assert found.so.tolist() == [0, 1, 1], "of all 20 alike"
    assert found.judged.tolist() == [10, 11, 12] and found.found.tolist() == [10, 10, 11]
    assert drawn.blind(10).so.tolist() == [1] * 10 and drawn.known(20) == (13, 12)
    open_ = DrawnLabels((0.2,), (20,), 20, draws, {**dict.fromkeys(range(1, 10), True), 12: True})
    assert open_.blind(20).so.tolist() == [1], "without an answer nothing is bet"
    assert (open_.blind(20).judged.tolist(), open_.blind(20).found.tolist()) == ([11], [9])


def test_the_lowest_threshold_that_reaches_the_goal_is_found(pairs: ScoredTexts, tmp_path: Path) -> None:
    same = np.arange(800) < 450  # the first 200 and 400 are pure, 800 are not
    session = LabelSession(pairs, LabelGoal(precision=0.9), tmp_path / "answers")
    assert [one.pairs for one in session.state().thresholds] == [100, 200, 400, 800]
    state = judged(session, same)
    assert state.proven is not None and state.proven.pairs == 400


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
            stream.write(b'{"row": 3, "among"')  # the rest of a write interrupted by a kill
        assert len(LabelSession(pairs, goal, path)._file.listed) >= size
    judged(LabelSession(pairs, goal, path), np.arange(800) % 50 > 0, 10)
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_answer_can_be_taken_back(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.95), tmp_path / "answers")
    assert not session.undo()
    first = session.next()
    assert first is not None
    session.answer(first, LabelAnswer.DIFFERENT, by="ann", note="a slip")
    assert session.undo() and session.state().answered == 0
    again = LabelSession(pairs, LabelGoal(precision=0.95), tmp_path / "answers")
    assert again.state().answered == 0 and "a slip" in again.path.read_text()
    with pytest.raises(UsageError) as error:
        question = again.next()
        assert question is not None
        again.answer(type(question)(question.row + 1, question.among, "", ""), LabelAnswer.SAME)
    assert error.value.params == ("question",)


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
        ('{"kind": "other"}', 1),
        ("[1]", 1),
        ("", 1),
    ],
)
def test_a_file_of_another_kind(pairs: ScoredTexts, tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "answers").write_text(line + "\n")
    with pytest.raises(DataError) as error:
        LabelSession(pairs, LabelGoal(precision=0.9), tmp_path / "answers")
    assert error.value.line == said


@pytest.mark.parametrize("change", [{"row": 900}, {"row": -1}, {"answer": "maybe"}, {"among": "x"}])
def test_a_broken_answer(pairs: ScoredTexts, tmp_path: Path, change: dict[str, object]) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.9), tmp_path / "answers")
    judged(session, np.ones(800, dtype=bool), 1)
    head, line = session.path.read_text().splitlines()
    session.path.write_text(f"{head}\n{json.dumps({**json.loads(line), **change})}\n")
    with pytest.raises(DataError) as error:
        LabelSession(pairs, LabelGoal(precision=0.9), session.path)
    assert error.value.line == 2


def test_a_session_is_not_gone_on_with_otherwise(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.9), tmp_path / "answers")
    judged(session, np.ones(800, dtype=bool), 1)
    with pytest.raises(DataError) as error:
        LabelSession(pairs, LabelGoal(precision=0.95), session.path)
    assert error.value.line == 1
    write_pairs(tmp_path / "pairs.tsv", 801)
    with pytest.raises(DataError) as error:
        LabelSession(read_scored(tmp_path / "pairs.tsv"), LabelGoal(precision=0.9), session.path)
    assert error.value.line == 1


@pytest.fixture
def _nothing_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable waiting for the disk, which is slow for thousands of answers; their durability is tested
    separately.
    """
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.mark.usefixtures("_nothing_waits_for_the_disk")
def test_of_many_sessions_few_prove_what_is_not_so(tmp_path: Path) -> None:
    random, wrong, sessions = np.random.default_rng(1), 0, 20
    read = read_scored(write_pairs(tmp_path / "pairs.tsv", 200))
    for number in range(sessions):
        same = np.ones(200, dtype=bool)
        for size in (100, 200):  # every threshold just misses the goal
            false = int(size * 0.1) + 1 - int((~same[:size]).sum())
            same[random.choice(np.flatnonzero(same[:size]), false, replace=False)] = False
        session = LabelSession(read, LabelGoal(precision=0.9, seed=number), tmp_path / f"answers-{number}")
        wrong += judged(session, same, 80).proven is not None
    assert wrong <= 4  # of 20 with a chance of .05 each, more come once in 380 times


def test_two_sessions_on_one_file_take_turns(pairs: ScoredTexts, tmp_path: Path) -> None:
    goal = LabelGoal(precision=0.95, threshold=0.5)
    first, second = (LabelSession(pairs, goal, tmp_path / "answers") for _ in range(2))
    asked, same = first.next(), second.next()
    assert asked is not None and asked == same
    first.answer(asked, LabelAnswer.SAME, by="ann")
    with pytest.raises(UsageError) as error:
        second.answer(asked, LabelAnswer.DIFFERENT, by="bob")
    assert error.value.params == ("question",)
    following = second.next()
    assert following is not None and following == first.next()
    assert second.answer(following, LabelAnswer.SAME, by="bob").answered == 2
    assert [one.by for one in first._file.listed] == ["ann"] and first.state().answered == 2
    assert first.undo() and first.state().answered == 1


def test_without_recall_nothing_is_drawn_below_the_thresholds(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.9, threshold=0.5), tmp_path / "answers")
    state = judged(session, np.ones(800, dtype=bool))
    assert all(one.row < 401 and one.start == 0 for one in session._file.draws)
    assert state.thresholds[0].missed is None and state.thresholds[0].recall is None and not state.more


@pytest.mark.slow
def test_recall_is_bounded_by_labels_below_the_proven_threshold(tmp_path: Path) -> None:
    read = read_scored(write_pairs(tmp_path / "pairs.tsv", 200))
    goal = LabelGoal(precision=0.8, threshold=0.75, recall=True)
    session, same = LabelSession(read, goal, tmp_path / "answers"), np.arange(200) < 61
    state = judged(session, same, 40)  # 51 pairs from 0.75 up, and 10 duplicates below
    assert state.proven is not None and state.proven.missed is not None and state.more
    first = state.proven.recall
    state = judged(session, same, 80)
    assert first is not None and state.proven is not None and state.proven.recall is not None
    assert first < state.proven.recall <= 51 / 61 and state.proven.missed >= 10
    assert f"recall at least {state.proven.recall:.3f}" in state.sentence
    rows = [one.row for one in session._file.draws if one.start]
    assert rows and min(rows) >= 51 and len(set(rows)) == len(rows), "without replacement"
    state = judged(session, same)
    assert session.next() is None and not state.more and state.proven is not None
    assert state.proven.missed == 10 and not state.more


@pytest.mark.slow
def test_draws_below_say_nothing_of_the_precision(pairs: ScoredTexts, tmp_path: Path) -> None:
    goal = LabelGoal(precision=0.8, recall=True)
    session, same = LabelSession(pairs, goal, tmp_path / "answers"), np.arange(800) < 205
    while not any(one.start for one in session._file.draws):
        judged(session, same, 1)
    before = session.state()
    after = judged(session, same, 40)
    assert before.proven is not None and before.proven.pairs == 200
    for early, late in zip(before.thresholds, after.thresholds, strict=True):
        assert (early.labels, early.same, early.least) == (late.labels, late.same, late.least)
    assert before.proven.missed is not None and after.proven is not None and after.proven.missed is not None
    assert after.proven.missed < before.proven.missed


def test_half_of_the_error_is_for_the_recall(pairs: ScoredTexts, tmp_path: Path) -> None:
    goal = LabelGoal(precision=0.95, threshold=0.5, recall=True)
    session = LabelSession(pairs, goal, tmp_path / "answers")
    aimed = session.state().aimed
    assert aimed is not None and aimed.left == 76  # 64 at an error of .05
    judged(session, np.ones(800, dtype=bool), 1)
    with pytest.raises(DataError) as error:
        LabelSession(pairs, LabelGoal(precision=0.95, threshold=0.5), session.path)
    assert error.value.line == 1


@pytest.mark.slow
def test_the_unsure_below_count_as_missed(pairs: ScoredTexts, tmp_path: Path) -> None:
    found = []
    for answer in (LabelAnswer.DIFFERENT, LabelAnswer.UNSURE):
        goal = LabelGoal(precision=0.9, threshold=0.75, recall=True)
        session = LabelSession(pairs, goal, tmp_path / answer.value)
        for _ in range(90):
            question = session.next()
            assert question is not None
            session.answer(question, LabelAnswer.SAME if number_of(question) < 201 else answer)
        proven = session.state().proven
        assert proven is not None and proven.missed is not None
        found.append(proven.missed)
    assert found[0] < found[1]


@pytest.mark.slow
@pytest.mark.usefixtures("_nothing_waits_for_the_disk")
def test_of_many_sessions_few_bound_the_recall_too_high(tmp_path: Path) -> None:
    random, wrong, sessions = np.random.default_rng(2), 0, 8
    read = read_scored(write_pairs(tmp_path / "pairs.tsv", 400))
    for number in range(sessions):
        same = np.arange(400) < 100
        same[random.choice(np.arange(101, 400), 40, replace=False)] = True
        goal = LabelGoal(precision=0.9, threshold=0.75, recall=True, seed=number, error=0.2)
        session, was_wrong = LabelSession(read, goal, tmp_path / f"answers-{number}"), False
        for _ in range(5):
            proven = judged(session, same, 20).proven
            was_wrong = was_wrong or (proven is not None and (proven.recall or 0) > 100 / 140)
        wrong += was_wrong
    assert wrong <= 5  # of 8 with a chance of .2 each, more come once in 800 times


def several(session: LabelSession, wrong: float, most: int, names: tuple[str, ...] = ("ann", "bob")) -> None:
    """Several people in turn; the second one sometimes errs."""
    random = np.random.default_rng(0)
    for count in range(most):
        name = names[count % len(names)]
        question = session.next(name)
        if question is None:
            break
        slips = name == "bob" and random.random() < wrong
        session.answer(question, LabelAnswer.DIFFERENT if slips else LabelAnswer.SAME, by=name)


def test_a_share_of_the_pairs_is_judged_by_two_and_neither_knows(pairs: ScoredTexts, tmp_path: Path) -> None:
    goal = LabelGoal(precision=0.5, threshold=0.0, overlap=0.3)
    session = LabelSession(pairs, goal, tmp_path / "answers")
    assert session.agreement() is None
    with pytest.raises(UsageError) as error:
        question = session.next()
        assert question is not None
        session.answer(question, LabelAnswer.SAME)
    assert error.value.params == ("by",)
    session.answer(question, LabelAnswer.SAME, by="ann")
    for count in range(60):
        asked = session.next("ann" if count % 2 else "bob")
        if asked is None:
            break
        session.answer(asked, LabelAnswer.DIFFERENT, by="ann" if count % 2 else "bob")
    people: dict[int, list[str]] = {}
    for one in session._file.listed:
        people.setdefault(one.row, []).append(one.by)
    twice = [row for row, names in people.items() if len(names) == 2]
    assert 0.15 < len(twice) / len(people) < 0.45 and all(len(set(people[row])) == 2 for row in twice)
    found = session.agreement()
    assert found is not None and found.pairs == len(twice) and found.people == ("ann", "bob")


def test_a_disagreement_counts_as_unsure_until_it_is_settled(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.9, threshold=0.0, overlap=1), tmp_path / "answers")
    question = session.next("ann")
    assert question is not None
    assert session.answer(question, LabelAnswer.SAME, by="ann").thresholds[0].same == 1
    again = session.next("bob")
    assert again is not None and again.row == question.row
    state = session.answer(again, LabelAnswer.DIFFERENT, by="bob", note="other year")
    assert (state.disputed, state.unsure, state.thresholds[0].labels, state.thresholds[0].same) == (
        1,
        1,
        1,
        0,
    )
    assert "disagree" in state.sentence and session.export(tmp_path / "none.tsv") == 0
    (dispute,) = session.disputes()
    assert [(one.by, one.note) for one in dispute.answers] == [("ann", ""), ("bob", "other year")]
    with pytest.raises(UsageError) as error:
        session.settle(dispute.row + 1, LabelAnswer.SAME, by="cyd")
    assert (error.value.params, error.value.value) == (("row",), 681)
    state = session.settle(dispute.row, LabelAnswer.SAME, by="cyd")
    assert (state.disputed, state.unsure, state.thresholds[0].same) == (0, 0, 1)
    assert session.export(tmp_path / "one.tsv") == 1
    assert "ann, bob, cyd" in (tmp_path / "one.tsv").read_text()
    found = session.agreement()
    assert found is not None and found.same.value == 0, "what was settled was not agreed on"
    assert session.undo("cyd") and session.state().disputed == 1


def test_agreement_of_two_and_of_more(pairs: ScoredTexts, tmp_path: Path) -> None:
    goal = LabelGoal(precision=0.9, threshold=0.0, overlap=1)
    session = LabelSession(pairs, goal, tmp_path / "two")
    several(session, 0.3, 60)
    found = session.agreement()
    assert found is not None and found.measure == "Cohen's kappa" and found.beyond_chance is not None
    assert 0 < found.same.low < found.same.value < 1 and found.disputed == len(session.disputes())
    assert f"{found.pairs} pairs judged by several of ann, bob" in found.sentence
    third = LabelSession(pairs, goal, tmp_path / "three")
    several(third, 0.3, 60, ("ann", "bob", "cyd"))
    more = third.agreement()
    assert more is not None and more.measure == "Krippendorff's alpha" and len(more.people) == 3


def test_a_pair_whose_answer_is_taken_back_is_asked_about_again(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.95), tmp_path / "answers")
    first = session.next()
    assert first is not None
    session.answer(first, LabelAnswer.DIFFERENT, by="ann")
    second = session.next()
    assert second is not None
    session.answer(second, LabelAnswer.SAME, by="bob")
    assert session.undo("ann") and session.state().answered == 1
    assert session.next() == first, "nobody draws until the draw fits"
    session.answer(first, LabelAnswer.SAME, by="ann")
    assert session.state().answered == 2 and len(session._file.draws) == 2
    assert not session.undo("cyd")


def test_answers_of_another_person_leave_a_question_as_it_is(pairs: ScoredTexts, tmp_path: Path) -> None:
    goal = LabelGoal(precision=0.95, overlap=1)
    ann, bob = (LabelSession(pairs, goal, tmp_path / "answers") for _ in range(2))
    first = ann.next("ann")
    assert first is not None
    ann.answer(first, LabelAnswer.SAME, by="ann")
    held = ann.next("ann")
    late = bob.next("bob")
    assert held is not None and late is not None and late.row == first.row
    bob.answer(late, LabelAnswer.SAME, by="bob")
    assert ann.answer(held, LabelAnswer.SAME, by="ann").answered == 2


def test_a_file_that_is_removed_or_replaced_meanwhile_takes_no_more_answers(
    pairs: ScoredTexts, tmp_path: Path
) -> None:
    path, goal = tmp_path / "answers", LabelGoal(precision=0.95)
    session = LabelSession(pairs, goal, path)
    for _ in range(3):
        session.answer(question_of(session), "same")
    whole, question = path.read_bytes(), question_of(session)
    path.unlink()
    for ask in (session.next, session.state, session.undo, lambda: session.answer(question, "same")):
        with pytest.raises(DataError) as error:
            ask()
        assert error.value.path == path and error.value.fix is not None and not path.exists()
    path.write_bytes(whole.replace(b'"same"', b'"different"'))  # as long, or longer
    with pytest.raises(DataError):
        session.answer(question, "same")
    path.write_bytes(whole)  # a copy is as good as the file
    assert session.answer(question, "same").answered == 4
    assert LabelSession(pairs, goal, path).state().answered == 4


def test_blanks_around_a_name_make_no_other_person(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.9, threshold=0.0, overlap=1), tmp_path / "answers")
    first = question_of(session, "ann")
    session.answer(first, "same", by="ann ")
    assert question_of(session, " ann").row != first.row, "the first pair waits for another person"
    assert session.agreement() is None and session.undo("ann") and session.state().answered == 0


def test_a_settlement_ends_where_somebody_answers_anew(pairs: ScoredTexts, tmp_path: Path) -> None:
    session = LabelSession(pairs, LabelGoal(precision=0.9, threshold=0.0, overlap=1), tmp_path / "answers")
    row = question_of(session, "ann").row
    session.answer(question_of(session, "ann"), "same", by="ann")
    session.answer(question_of(session, "bob"), "different", by="bob")
    assert session.settle(row, "different", by="cyd").thresholds[0].same == 0
    assert session.undo("bob") and question_of(session, "bob").row == row
    state = session.answer(question_of(session, "bob"), "same", by="bob")
    assert (state.thresholds[0].same, state.disputed) == (1, 0), "both say the same now"


def question_of(session: LabelSession, by: str = "") -> Question:
    question = session.next(by)
    assert question is not None
    return question
