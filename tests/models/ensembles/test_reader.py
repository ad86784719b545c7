from __future__ import annotations

import pytest

import textkin as tk
from tests.models.ensembles.making import Reads
from textkin.measures.decisions.combination import Linear, Probabilities
from textkin.models.ensembles.reader import EnsembleReader, ballots_of

PASSAGE = "Ada met Bob in Rome, and Bob stayed."
ONE = Reads("one", {"who?": [("Ada", 0.5), ("Bob", 0.3), ("", 0.2)], "why?": [("", 1.0)]})
TWO = Reads("two", {"who?": [("Bob", 0.6), ("Rome", 0.4)], "why?": [("Rome", 0.7)]})
SUM = EnsembleReader([ONE, TWO], Probabilities((0.5, 0.5)), name="sum")


def asked(reader, k=1):
    return reader.read(["who?", "why?"], [PASSAGE, PASSAGE], k=k)


def test_probabilities_of_an_answer_are_summed_over_members():
    assert isinstance(SUM, tk.SpanReader)
    who, why = asked(SUM, k=3)
    assert [one.text for one in who] == ["Bob", "Ada", "Rome", ""]
    assert [one.probability for one in who] == pytest.approx([0.45, 0.25, 0.2, 0.1])
    assert [(one.text, one.probability) for one in why] == [("", 0.5), ("Rome", pytest.approx(0.35))]
    assert all(PASSAGE[one.start : one.end] == one.text for one in (*who, *why))


def test_k_answers_and_no_answer_beside_them():
    who, why = asked(SUM, k=1)
    assert [one.text for one in who] == ["Bob", ""]
    assert [one.text for one in why] == ["", "Rome"]


def test_answers_of_one_text_are_one_answer_at_the_likelier_place():
    first, last = PASSAGE.find("Bob"), PASSAGE.rfind("Bob")
    listed = [
        [[tk.SpanAnswer(first, first + 3, "Bob", 0, 0.2), tk.SpanAnswer(last, last + 3, "Bob", 0, 0.5)]],
        [[tk.SpanAnswer(first, first + 3, "Bob", 0, 0.4)]],
    ]
    ballots = ballots_of(listed)
    assert ballots.values.tolist() == [[0.7, 0.4]] and ballots.answers[0].start == last


def test_what_is_no_probability_becomes_one():
    linear = EnsembleReader([ONE, TWO], Linear((0.0, 0.0), (0.1, 0.1), (1.0, 1.0)), name="e")
    who, _ = asked(linear, k=3)
    assert [one.text for one in who] == ["Bob", "Ada", "Rome", ""]
    assert sum(one.probability for one in who) == pytest.approx(1)


def test_no_answers_at_all():
    nothing = Reads("nothing", {"who?": [], "why?": []})
    assert asked(EnsembleReader([nothing, nothing], Probabilities((0.5, 0.5)), name="e")) == [[], []]
    assert SUM.question_truncation(["who?"]).cut == 0
