"""The built-in reader without torch gives the answers of torch."""

import pickle
import sys
from functools import cache

import numpy as np
import pytest

import textkin as tk
from textkin.base.hub import READER, located
from textkin.data import samples
from textkin.data.readers.datasets.squad import read_squad
from textkin.measures.decisions.calibration import Platt
from textkin.measures.decisions.no_answer import NoAnswerRule
from textkin.models import light_adapter
from textkin.models.inference.span_readers import NeuralReader
from textkin.models.inference.span_readers import load_reader as with_torch
from textkin.models.light_reader import LightReader

pytestmark = [pytest.mark.torch, pytest.mark.slow]

TOWN = read_squad(samples.path("town.json")).data
ASKED = [*TOWN.texts[:24:2], ("When?" * 90, " ".join(text for _, text in TOWN.texts[::9])), ("?", "é 😀")]


@cache
def light():
    return LightReader(located(READER))


@cache
def heavy():
    return with_torch(located(READER))


def test_answers_are_those_of_torch():
    questions, passages = zip(*ASKED, strict=True)
    ours, theirs = (one.read(questions, passages, k=3) for one in (light(), heavy()))
    told = [[(one.start, one.text) for one in answers] for answers in ours]
    assert told == [[(one.start, one.text) for one in answers] for answers in theirs]
    for field in ("score", "probability"):
        numbers = (
            np.array([getattr(one, field) for row in rows for one in row], dtype=np.float64)
            for rows in (ours, theirs)
        )
        np.testing.assert_allclose(*numbers, atol=2e-4)
    assert light().read(["Who?"], [""]) == heavy().read(["Who?"], [""]) == [[]]
    assert light().question_truncation(questions) == heavy().question_truncation(questions)
    ((margin, best),) = light().margins(questions[:1], passages[:1])
    ((expected, theirs),) = heavy().margins(questions[:1], passages[:1])
    assert margin == pytest.approx(expected, abs=2e-4) and best.text == theirs.text
    assert "network" not in vars(light())


def test_it_says_of_itself_what_torch_says():
    for name in ("name", "answers_none", "no_answer"):
        assert getattr(light(), name) == getattr(heavy(), name)
    for name in ("no_answer", "folder", "provenance", "threshold"):
        assert getattr(light().model, name) == getattr(heavy().model, name)
    assert light().model.seen.hashes.tolist() == heavy().model.seen.hashes.tolist() != []


def test_torch_takes_over_where_much_is_read(monkeypatch):
    reader = LightReader(located(READER))
    (first,) = reader.read(*([side] for side in TOWN.texts[0]))
    assert "network" not in vars(reader)
    monkeypatch.setattr(light_adapter, "_REPAY", 0)
    reader = LightReader(located(READER))
    (second,) = reader.read(*([side] for side in TOWN.texts[0]))
    assert "network" in vars(reader) and first[0].text == second[0].text


def test_a_rule_goes_along_to_another_process():
    rule = NoAnswerRule(Platt(1.0, 0.0), 0.9, "f1")
    again = pickle.loads(pickle.dumps(LightReader(located(READER), no_answer=rule)))
    assert isinstance(again, LightReader) and again.no_answer == rule
    assert again.network.no_answer == rule


def test_loading_takes_it_until_torch_is_there(monkeypatch):
    assert isinstance(tk.load_reader(READER), NeuralReader)
    monkeypatch.delitem(sys.modules, "torch")
    found = tk.load_reader(READER)
    assert isinstance(found, LightReader)
    monkeypatch.undo()
    ours, theirs = (tk.attention(*TOWN.texts[0], one).maps for one in (found, READER))
    assert len(ours) == len(theirs) > 0
