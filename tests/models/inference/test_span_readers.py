"""Networks that extract the words of an answer."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.making_spans import spans
from tests.training.test_span_rows import network, pipeline
from textkin.base.errors import ModelError, UsageError
from textkin.data.protocols import SpanReader
from textkin.data.span_records import SpanAnswer
from textkin.measures.decisions.calibration import Platt
from textkin.measures.decisions.no_answer import NoAnswerRule, SavedNoAnswer
from textkin.models import span_reading
from textkin.models.inference.scorers import load_scorer
from textkin.models.inference.span_engine import SpanEngine
from textkin.models.inference.span_readers import NeuralReader, load_reader
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model, save_model, save_no_answer
from textkin.models.span_logits import FoundSpan, best_spans
from textkin.models.span_reading import by_rule
from textkin.text.span_windows import windows

pytestmark = pytest.mark.torch


def reader(*, most=None, answers_none=False, **options):
    module = network(most=most, answers_none=answers_none)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return NeuralReader(module, pipeline(**options), name="small")


def asked(count=6):
    return tuple(map(list, zip(*spans(count).texts, strict=True)))


@pytest.mark.parametrize("answers_none", [False, True])
@pytest.mark.parametrize("max_length", [None, 9])
def test_answers_are_the_best_spans_of_all_windows(max_length, answers_none):
    made = reader(most=4, answers_none=answers_none, max_length=max_length)
    questions, passages = asked()
    found = made.read(questions, passages, k=3)
    assert isinstance(made, SpanReader)
    words = pipeline()
    for question, passage, answers in zip(questions, passages, found, strict=True):
        (located,) = words.located([passage])
        parts = windows(len(located), max_length)
        ids = words.ids([question])[0]
        logits = [
            SpanEngine(made._module, pad_id=0).logits([ids], [located.ids[start:stop]])[0]
            for start, stop in parts
        ]
        placed = [
            type(one)(one.start, one.end, one.none, start)
            for one, (start, _) in zip(logits, parts, strict=True)
        ]
        for answer, span in zip(answers, best_spans(placed, most=4, k=3), strict=True):
            assert answer.score == pytest.approx(span.score, abs=1e-4)
            assert answer.probability == pytest.approx(span.probability, abs=1e-4)
            if span.first < 0:
                assert (answer.start, answer.end, answer.text) == (0, 0, "")
            else:
                start, end = located.offsets[span.first, 0], located.offsets[span.last, 1]
                assert (answer.start, answer.end) == (start, end)
                assert answer.text == passage[start:end]


def test_each_question_is_read_as_if_alone():
    made = reader(answers_none=True)
    questions, passages = asked()
    together = made.read(questions, passages)
    for question, passage, answers in zip(questions, passages, together, strict=True):
        ((alone, other),) = made.read([question], [passage])
        assert bool(alone.text) != bool(other.text)
        assert alone.score == pytest.approx(answers[0].score, abs=1e-4)
        assert alone.text == answers[0].text


def test_a_passage_without_tokens_has_no_answer():
    assert reader().read(["Who built the mill?"], ["  "]) == [[]]
    (answers,) = reader(answers_none=True).read(["Who?"], [""])
    assert answers == []
    assert reader().read([], []) == []


def test_wrong_arguments_are_refused():
    made = reader()
    with pytest.raises(UsageError) as error:
        made.read(["a", "b"], ["c"])
    assert error.value.params == ("passages",)
    with pytest.raises(UsageError) as error:
        made.read(["a"], ["c"], k=0)
    assert (error.value.params, error.value.value) == (("k",), 0)
    with pytest.raises(UsageError):
        made.read(["abc", None], ["c", "d"])


def test_numbers_that_are_not_finite_are_refused():
    made = reader()
    with torch.no_grad():
        made._module.first.weight.fill_(float("nan"))
    with pytest.raises(ModelError) as error:
        made.read(["Who built it?"], ["Ada built the mill."])
    assert error.value.params == ("small",)


def test_a_folder_keeps_a_reader(tmp_path):
    made = reader(answers_none=True)
    arguments = {"size": made._pipeline.size, "pad_id": 0, "dim": 8, "hidden": 4, "answers_none": True}
    save_model(Model(ModelFacts("small"), "bidaf", arguments, made._module, made._pipeline), tmp_path)
    loaded = load_reader(tmp_path)
    questions, passages = asked(2)
    assert loaded.read(questions, passages) == made.read(questions, passages)
    assert loaded.answers_none
    again = pickle.loads(pickle.dumps(loaded))
    assert again.read(questions, passages) == made.read(questions, passages)
    with pytest.raises(UsageError, match="in memory only"):
        pickle.dumps(made)
    with pytest.raises(ModelError, match="finds answers in passages"):
        load_scorer(tmp_path)


def test_other_models_are_no_readers(tmp_path):
    from textkin.networks.architectures.table import build

    tower = build("siamese", size=pipeline().size, pad_id=0, dim=4, cell="mean")
    arguments = {"size": pipeline().size, "pad_id": 0, "dim": 4, "cell": "mean"}
    save_model(Model(ModelFacts("tower"), "siamese", arguments, tower, pipeline()), tmp_path)
    with pytest.raises(ModelError) as error:
        load_reader(tmp_path)
    assert error.value.path == str(tmp_path)


def test_questions_that_are_too_long_are_counted():
    assert reader().question_truncation(["Who " * 999]).cut == 0
    assert np.isscalar(reader().question_truncation([]).texts)


RULE = NoAnswerRule(Platt(0.7, -0.2), 0.45, "f1")


def ruled(made, rule=RULE):
    return NeuralReader(made._module, made._pipeline, name="ruled", no_answer=rule)


def test_a_rule_of_no_answer_decides_and_shares_the_probability():
    made = reader(answers_none=True, max_length=9)
    questions, passages = asked()
    plain = made.read(questions, passages, k=10_000)
    margins = made.margins(questions, passages)
    middle = float(np.median([margin for margin, _ in margins]))
    rule, decided = NoAnswerRule(Platt(0.7, -0.2 - 0.7 * middle), 0.45, "f1"), set()
    for number, answers in enumerate(ruled(made, rule).read(questions, passages, k=10_000)):
        none = next(one for one in plain[number] if not one.text)
        spans = [one for one in plain[number] if one.text]
        assert margins[number] == (pytest.approx(none.score - spans[0].score), spans[0])
        told = 1 / (1 + np.exp(-(0.7 * (none.score - spans[0].score - middle) - 0.2)))
        decided.add(told > 0.45)
        assert [bool(one.text) for one in answers[:2]] == ([False, True] if told > 0.45 else [True, False])
        assert sum(one.probability for one in answers) == pytest.approx(1)
        assert next(one.probability for one in answers if not one.text) == pytest.approx(told)
        after = [one for one in answers if one.text]
        assert [(one.start, one.end, one.score) for one in after] == [
            (one.start, one.end, one.score) for one in spans
        ]
        for one, before in zip(after, spans, strict=True):
            wanted = before.probability / (1 - none.probability) * (1 - told)
            assert one.probability == pytest.approx(wanted, rel=1e-6)
        for k in (1, 2, 3):
            (short,) = ruled(made, rule).read([questions[number]], [passages[number]], k=k)
            assert [one.text for one in short] == [one.text for one in answers[: k + 1]]
    assert decided == {True, False}


def test_a_rule_is_for_readers_that_can_say_no_answer():
    made = reader(answers_none=False)
    assert ruled(made).no_answer is None
    with pytest.raises(UsageError, match="always points at an answer"):
        made.margins(["Who?"], ["Ada."])
    assert ruled(reader(answers_none=True)).margins(["Who?"], ["  "]) == [None]
    assert ruled(reader(answers_none=True)).read(["Who?"], ["  "]) == [[]]


def test_where_no_answer_seems_sure_spans_still_share_what_is_left():
    found = by_rule(
        [SpanAnswer(0, 0, "", 60.0, 1.0), SpanAnswer(0, 1, "a", 2.0, 0.0), SpanAnswer(2, 3, "b", 1.0, 0.0)],
        NoAnswerRule(Platt(0.01, 0.0), 0.9, "f1"),
    )
    assert [one.text for one in found] == ["a", "", "b"]
    assert sum(one.probability for one in found) == pytest.approx(1)
    assert found[0].probability == pytest.approx(np.e * found[2].probability)


def test_the_rule_is_saved_with_the_model_and_pickled(tmp_path):
    made = reader(answers_none=True)
    arguments = {"size": pipeline().size, "pad_id": 0, "dim": 8, "hidden": 4, "answers_none": True}
    saved = SavedNoAnswer(RULE, "dev.json", "ab", {"F1": (0.5, 0.4, 0.6)})
    save_model(Model(ModelFacts("small"), "bidaf", arguments, made._module, made._pipeline), tmp_path)
    assert load_reader(tmp_path).no_answer is None
    save_no_answer(tmp_path, saved)
    found = load_reader(tmp_path)
    assert found.no_answer == RULE and found.model.no_answer == saved
    other = load_reader(tmp_path, no_answer=NoAnswerRule(Platt(1.0, 0.0), 0.9, "f1"))
    assert pickle.loads(pickle.dumps(other)).no_answer.threshold == 0.9
    assert found.computing("fp32").no_answer == RULE
    save_model(found.loaded, tmp_path / "again")
    assert load_reader(tmp_path / "again").no_answer == RULE
    manifest = json.loads((tmp_path / "textkin.json").read_text())
    manifest["no_answer"]["threshold"] = 7
    (tmp_path / "textkin.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError) as error:
        load_reader(tmp_path)
    assert str(error.value.path).endswith("textkin.json")


@pytest.mark.parametrize("rule", [None, RULE])
def test_a_span_without_characters_is_no_answer(rule, monkeypatch):
    made = reader(answers_none=True)
    passage = "Ada built the mill."
    found = [(1, 1, 4.0, 0.3), (0, 0, 3.0, 0.2), (2, 3, 1.0, 0.1), (-1, -1, 0.0, 0.01)]
    spans = [FoundSpan(*one) for one in found]
    (located,) = pipeline().located([passage])
    offsets = located.offsets.copy()
    offsets[1] = 3, 3  # a token without a character
    monkeypatch.setattr(made, "_find", Fixed(replace(located, offsets=offsets)))
    monkeypatch.setattr(span_reading, "best_spans", lambda windows, most, k: [*spans[:k], spans[-1]])
    made.no_answer = rule
    found = made.read(["Who?"], [passage], k=2)[0]
    order = ["Ada", "the mill", ""] if rule is None else ["Ada", "", "the mill"]
    assert [one.text for one in found] == order
    assert made.margins(["Who?"], [passage])[0][1].text == "Ada"


class Fixed:
    """A pipeline that finds the same tokens in every text."""

    def __init__(self, located):
        self.one = located

    def located(self, texts):
        return [self.one for _ in texts]
