from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from tests.making_choices import Told, as_table, exam, knowing
from tests.models.test_model_folder import made
from textkin.base.errors import DataError, LeakError, ModelError, UsageError
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.data.choice_scores import answers_of
from textkin.data.readers.choice_predictions import read_choice_scores
from textkin.data.readers.choices import read_choices
from textkin.data.readers.from_python import as_loaded
from textkin.data.splits.training_texts import Seen
from textkin.kinds.exam_corpora import Corpora
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.models.inference.scorers import NeuralEncoder
from textkin.models.model_folder import save_model
from textkin.text.baselines.choosers import QUESTION_FREE, ScoredChoices
from textkin.verbs.answer.chosen import choose
from textkin.verbs.evaluate.agree import agree
from textkin.verbs.evaluate.comparison import compared

pytestmark = pytest.mark.torch

QUICK = {"resamples": 100, "rounds": 199}
OPTIONS = Options(sampling=Sampling(**QUICK))


def test_answers_come_with_accuracy_beside_baselines(tmp_path):
    data = exam(30)
    out = tmp_path / "predictions.csv"
    found = choose(as_loaded(data), knowing(data, 21), out=out, options=OPTIONS)
    rows = {row.name: row for row in found.measured.systems.rows}
    assert rows["knowing"].measures["accuracy"].value == pytest.approx(0.7)
    assert {*QUESTION_FREE, "random", "tfidf", "bm25", "default"} <= set(rows)
    assert rows["first"].measures["accuracy"].value == np.mean(answers_of(data) == 0)
    assert [one.letter == one.right for one in found.choices] == [True] * 21 + [False] * 9
    np.testing.assert_array_equal(
        read_choice_scores(out, data.questions), [one.scores for one in found.choices]
    )


def test_without_answers_there_are_choices_only():
    data = exam(5, answered=False)
    found = choose(as_loaded(data), "longest", options=OPTIONS)
    assert found.measured is None
    assert found.undecided == 5
    assert [row["letter"] for row in found.rows()] == ["A"] * 5
    assert "5 of 5 questions" in str(found)


def test_baselines_learn_from_other_questions(tmp_path):
    train = ChoiceSet(
        tuple(
            ChoiceQuestion(str(at), f"Which {at}?", ("a good one", "a bad one", "bad", "very bad"), answer=0)
            for at in range(8)
        )
    )
    path = tmp_path / "train.tsv"
    path.write_text(as_table(train))
    asked = ChoiceSet((ChoiceQuestion("1", "And now?", ("bad", "good"), answer=1),))
    found = choose(as_loaded(asked), "choice-words", options=Options(sampling=Sampling(10, 10), fit=path))
    assert found.choices[0].letter == "B"
    assert "8 questions of train.tsv" in found.measured.fitted_on
    texts = tmp_path / "texts.txt"
    texts.write_text("some words\nother words\n")
    other = choose(as_loaded(asked), "bm25", options=Options(sampling=Sampling(10, 10), fit=texts))
    assert other.measured.fitted_on == "2 texts of texts.txt"
    with pytest.raises(DataError) as error:
        choose(as_loaded(exam(2)), "choice-words")  # never from those that are measured
    assert error.value.params == ("fit",)


def test_a_model_that_has_learnt_the_answers_is_refused():
    data = exam(10)

    class Model:
        seen = Seen.of([(one.question, one.choices[one.answer]) for one in data])

    class Learnt:
        name, model = "learnt", Model()

        def score(self, pairs):
            return np.zeros(len(pairs), dtype=np.float32)

    with pytest.raises(LeakError):
        choose(as_loaded(data), ScoredChoices(Learnt()), options=OPTIONS)
    accepting = Options(sampling=Sampling(10, 10), accept_leaks=True)
    assert choose(as_loaded(data), ScoredChoices(Learnt()), options=accepting).undecided == 10


def test_several_systems_are_compared():
    data = exam(40)
    found = compared(data, models=[knowing(data, 30, "good"), knowing(data, 20, "fair")], options=OPTIONS)
    assert (found.kind, found.measure) == ("choices", "accuracy")
    values = {row.name: row.measures["accuracy"].value for row in found.systems.rows}
    assert (values["good"], values["fair"]) == (0.75, 0.5)


def test_the_encoder_in_the_box_is_a_baseline_unless_it_is_asked_about():
    data = exam(6)
    beside = compared(data, models=[knowing(data, 5, "good")], options=OPTIONS)
    assert {row.name: row.trained for row in beside.systems.rows}["default"] is False
    asked = compared(data, models=["default"], options=OPTIONS)
    assert {row.name: row.trained for row in asked.systems.rows}["default"] is True
    assert asked.reference != "default"


def test_one_score_a_pair_is_a_chooser_too():
    data = exam(6)

    class Length:
        name = "length"

        def score(self, pairs):
            return [-len(b) for _, b in pairs]

    found = compared(data, models=[Length()], options=OPTIONS)
    assert "length" in {row.name for row in found.systems.rows}


def test_wrong_arguments():
    data = as_loaded(exam(3))
    with pytest.raises(UsageError) as error:
        choose(data, "first", kaggle=True)
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        choose(data, "first", out=Path())
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        choose(data, "both=first,longest")
    assert error.value.params == ("model",)
    with pytest.raises(ModelError) as error:
        choose(data, "nothing")
    assert error.value.value == "nothing"
    with pytest.raises(UsageError) as error:
        compared(exam(3), models=["first"], options=Options(measures=("AP",)))
    assert error.value.params == ("measures",)
    with pytest.raises(UsageError) as error:
        choose(data, Told({str(at): [1, 2] for at in range(3)}))
    assert (error.value.params, error.value.value) == (("told",), (3, 2))


def test_nothing_is_learnt_from_the_questions_that_are_measured(tmp_path):
    data = exam(8)
    path = tmp_path / "train.tsv"
    words = ("copper", "birds", "rivers", "glass")
    further = (ChoiceQuestion(f"f{one}", f"So what about {one}?", tuple("abcd"), 0) for one in words)
    path.write_text(as_table(ChoiceSet((*data.questions, *further))))
    found = choose(as_loaded(data), "choice-words", options=Options(sampling=Sampling(20, 20), fit=path))
    (said,) = (note for note in found.notes if "nothing is learnt from them" in note)
    assert said.startswith("8 of the 12 questions of train.tsv")
    path.write_text(as_table(data))
    with pytest.raises(DataError) as error:
        choose(as_loaded(data), "choice-words", options=Options(sampling=Sampling(20, 20), fit=path))
    assert error.value.params == ("fit",)


def test_some_known_answers_are_counted():
    data = ChoiceSet((*exam(2).questions, ChoiceQuestion("9", "What?", ("a", "b"))))
    found = choose(as_loaded(data), "longest")
    assert found.notes == ("2 of 3 right choices are known, so the accuracy is not",)


def test_what_is_read_is_never_written(tmp_path):
    path = tmp_path / "exam.tsv"
    path.write_text(as_table(exam(3)))
    before = path.read_bytes()
    with pytest.raises(UsageError) as error:
        choose(read_choices(path), "first", out=tmp_path / "." / "exam.tsv")
    assert error.value.params == ("out",)
    assert path.read_bytes() == before


def test_a_model_that_said_it_before_is_not_asked_again(tmp_path, monkeypatch):
    data, model = exam(6), save_model(made(), tmp_path / "model")
    facts = tmp_path / "facts.txt"
    facts.write_text("reset the router\nhow do I reset\nmy password\n")
    corpora = Corpora(support=(facts,))
    options = replace(OPTIONS, baselines=("first",), corpora=corpora, cache=tmp_path / "c")
    plain = choose(as_loaded(data), f"support:{model}", options=replace(options, cache=None))
    first = choose(as_loaded(data), f"support:{model}", options=options)
    monkeypatch.setattr(NeuralEncoder, "stream", lambda *_, **__: iter(()))  # nothing is recomputed
    again = choose(as_loaded(data), f"support:{model}", options=options)
    assert first.choices == again.choices == plain.choices
    agreed = agree(data, models=[f"support:{model}", "longest"], options=options)
    assert agreed.items == 6
    members = [f"support:{model}", "longest"]
    both = tk.ensemble(
        members, dev=data, out=tmp_path / "both", support=facts, cache=tmp_path / "c", folds=2, **QUICK
    )
    assert both.kind == "choices"
