"""The training data of a run, for every kind of data."""

import json
from dataclasses import replace

import pytest

import textkin as tk
from tests.making_spans import spans, write_squad
from tests.training.making import IN_BATCH, LOGISTIC, pairs, recipe
from textkin.base.errors import ConfigError, DataError, TrainingError, UsageError
from textkin.data.readers import Reading, load_pairs
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.data.span_records import SpanSet
from textkin.data.splits.label_grades import GradeScale
from textkin.measures.metrics.spans import SquadRules, score_answers
from textkin.models.inference.span_readers import load_reader
from textkin.networks.recipes.recipe import Recipe
from textkin.verbs.train.material import Material, require_grades, rows_of
from textkin.verbs.train.train_recipe import train
from textkin.verbs.train.training_data import PairLessons, SpanLessons, lessons_of

pytestmark = pytest.mark.torch

SPANS = Recipe.from_dict(
    {
        "name": "small-spans",
        "task": "spans",
        "model": {
            "architecture": "bidaf",
            "arguments": {"dim": 16, "hidden": 8, "train_embedding": True, "most": 3},
        },
        "objectives": [{"loss": "span-likelihood", "rows": "spans", "batch_size": 4}],
        "training": {"epochs": 6, "learning_rate": 0.02},
    }
)
MATERIAL = Material(train=spans(8), dev=spans(2, first=8))


def test_a_reader_is_trained_and_read_again(tmp_path, capsys):
    run = train(SPANS, MATERIAL, out=tmp_path / "run", seed=0, device="cpu")
    assert (run.measure, len(run.evaluations)) == ("F1", 6)
    assert run.evaluations[-1].loss < 0.6 * run.evaluations[0].loss
    reader = load_reader(run.model)
    questions, passages = zip(*MATERIAL.dev.texts, strict=True)
    found = reader.read(questions, passages)
    gold = {one.question_id: [at.text for at in one.answers] for one in MATERIAL.dev}
    told = {name: best[0].text for name, best in zip(gold, found, strict=True)}
    assert score_answers(gold, told, rules=SquadRules.V1).f1.mean() == pytest.approx(run.dev)
    assert reader.model.seen.share(MATERIAL.train.texts).learnt == len(MATERIAL.train)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["recipe"]["task"] == "spans"


def test_questions_without_answers_are_learnt_from_where_the_network_can_say_so(tmp_path, capsys):
    material = Material(train=spans(8, impossible=True), dev=spans(2, first=8, impossible=True))
    arguments = {**SPANS.model.arguments, "answers_none": True}
    able = SPANS.model_copy(update={"model": SPANS.model.model_copy(update={"arguments": arguments})})
    run = train(able, material, out=tmp_path / "able", device="cpu")
    found = load_reader(run.model).read(*zip(*material.dev.texts, strict=True))
    assert any(answers[0].text == "" for answers in found)
    assert "are not learnt from" not in capsys.readouterr().err
    train(SPANS, material, out=tmp_path / "unable", device="cpu")
    assert "8 of 24 questions are not learnt from" in capsys.readouterr().err


def test_files_in_squads_form_are_read(tmp_path):
    train, dev = write_squad(tmp_path / "train.json", spans(4)), write_squad(tmp_path / "dev.json", spans(2))
    short = SPANS.model_copy(update={"training": SPANS.training.model_copy(update={"epochs": 1})})
    run = tk.train(train, short, dev=dev, out=tmp_path / "run", device="cpu")
    assert run.measure == "F1" and load_reader(run.model).model.seen.share(spans(4).texts).learnt == 8


def test_further_files_are_learnt_from_too(tmp_path):
    material = Material(train=spans(2), dev=spans(2, first=8), more=(spans(3, first=2), spans(2)))
    lessons = lessons_of(SPANS, material)
    assert len(lessons.texts()) == 5 * 3
    assert lessons.seen().share(spans(5).texts).learnt == 10
    train, dev = spans(2), write_squad(tmp_path / "dev.json", spans(2, first=8))
    more = write_squad(tmp_path / "more.json", spans(3, first=2))
    short = SPANS.model_copy(update={"training": SPANS.training.model_copy(update={"epochs": 1})})
    run = tk.train(train, short, dev=dev, more=more, out=tmp_path / "run", device="cpu")
    assert load_reader(run.model).model.seen.share(spans(5).texts).learnt == 10


def test_what_dev_shares_with_train_is_told(tmp_path):
    short = SPANS.model_copy(update={"training": SPANS.training.model_copy(update={"epochs": 1})})
    leaky = replace(MATERIAL, dev=spans(3, first=7))
    run = train(short, leaky, out=tmp_path, device="cpu")
    assert [words.partition(" of ")[0] for words in run.warnings] == ["2 questions", "1 passages"]


def test_recipes_and_data_must_fit():
    assert isinstance(lessons_of(SPANS, MATERIAL), SpanLessons)
    small = recipe(LOGISTIC)
    assert isinstance(lessons_of(small, Material(pairs(), pairs(4, 40))), PairLessons)
    with pytest.raises(ConfigError) as error:
        lessons_of(small, MATERIAL)
    assert (error.value.params, error.value.expected) == (("recipe",), "pairs")
    with pytest.raises(ConfigError) as error:
        lessons_of(SPANS, Material(pairs(), pairs(4, 40)))
    assert (error.value.params, error.value.expected) == (("recipe",), "spans")
    with pytest.raises(UsageError) as error:
        lessons_of(SPANS, replace(MATERIAL, dev=pairs()))
    assert error.value.params == ("train", "dev")
    with pytest.raises(UsageError) as error:
        lessons_of(SPANS, replace(MATERIAL, more=(pairs(),)))
    assert error.value.params == ("more",)
    with pytest.raises(UsageError) as error:
        lessons_of(small, Material(pairs(), pairs(4, 40), more=(spans(1),)))
    assert error.value.params == ("more",)
    nothing = replace(MATERIAL, dev=SpanSet({}, ()))
    with pytest.raises(TrainingError):
        lessons_of(SPANS, nothing).dev(None)


def graded(*grades, name="marks"):
    made = tuple(Pair(f"text {at}", f"words {at}", grade, row=at) for at, grade in enumerate(grades))
    return PairSet(made, LabelKind.GRADED, name=name)


MEAN_SQUARE = {"loss": "mean-square", "rows": "pairs"}


def lessons(train, *objectives, dev=None, **training):
    material = Material(train=train, dev=dev or graded(0.0, 1.0, 2.0))
    return lessons_of(recipe(*objectives, **training), material)


@pytest.mark.parametrize("loss", ["mean-square", "cosent", "angle", "contrastive", "hinge", "logistic"])
def test_labels_that_are_all_the_same_teach_nothing(loss):
    by_label = {"loss": loss, "rows": "pairs"}
    with pytest.raises(TrainingError):
        lessons(graded(*[5.0] * 4), by_label)
    with pytest.raises(TrainingError):
        lessons(graded(*[5.0] * 4), by_label, IN_BATCH)
    same = PairSet(tuple(Pair(f"a {at}", f"b {at}", 1.0) for at in range(4)), LabelKind.BINARY)
    with pytest.raises(TrainingError):
        lessons(same, by_label)
    assert lessons(same, by_label, IN_BATCH).scale is None  # with negatives from the batch
    assert lessons(graded(*[5.0] * 4), IN_BATCH).scale == GradeScale(5, 6)


def test_labels_of_train_and_dev_are_of_one_kind():
    yes_or_no = PairSet(tuple(Pair(f"a {at}", f"b {at}", float(at % 2)) for at in range(4)), LabelKind.BINARY)
    for learnt, dev in ((graded(1.0, 2.0), yes_or_no), (yes_or_no, graded(1.0, 2.0))):
        with pytest.raises(DataError, match="labels of train are") as error:
            lessons(learnt, IN_BATCH, dev=dev)
        assert error.value.params == ("train", "dev")
    lessons(yes_or_no, IN_BATCH, dev=yes_or_no)


def test_a_scale_is_for_grades_that_it_holds():
    assert lessons(graded(1.0, 3.0, 5.0), MEAN_SQUARE).scale == GradeScale(1, 5)
    assert lessons(graded(1.0, 3.0, 5.0), MEAN_SQUARE, grades=[0, 5]).scale == GradeScale(0, 5, stated=True)
    with pytest.raises(DataError, match="marks: row 3: label 5 is outside the scale"):
        lessons(graded(1.0, 3.0, 5.0), MEAN_SQUARE, grades=[0, 4])
    unlabelled = PairSet((Pair("a", "b"), Pair("c", "d")), LabelKind.NONE)
    with pytest.raises(ConfigError) as error:
        lessons(unlabelled, IN_BATCH, grades=[0, 4])
    assert (error.value.params, error.value.value) == (("training.grades",), [0, 4])
    with pytest.raises(ConfigError, match="expected lowest < highest"):
        recipe(MEAN_SQUARE, grades=[4, 0])


def test_dev_with_grades_beyond_those_of_train_is_told():
    train = graded(1.0, 3.0, 5.0)
    assert list(lessons(train, MEAN_SQUARE, dev=graded(2.0, 4.0)).warnings()) == []
    (warning,) = lessons(train, MEAN_SQUARE, dev=graded(0.0, 1.0, 100.0)).warnings()
    assert "0 to 100" in warning
    assert "1 to 5" in warning


def test_relevance_counts_from_0():
    docs = tuple(
        Candidates(f"q{at}", f"question {at}", ("d1", "d2"), (f"answer {at}", f"other {at}"), (1, 2))
        for at in range(3)
    )
    found = rows_of(CandidateSet(docs))
    assert found.scale == GradeScale(0, 2)
    assert found.same.all()


def test_a_grade_far_from_the_others_is_named_by_its_line_in_any_encoding(tmp_path):
    path, reading = tmp_path / "grades.csv", Reading(encoding="cp1252")
    rows = [f"Öl {row},Fett {row},{row % 4 + 1.5}" for row in range(30)]
    path.write_text("\n".join(["text1,text2,score", *rows, "Öl,Fett,400"]), encoding="cp1252")
    with pytest.raises(DataError) as error:
        require_grades(load_pairs(path, reading=reading), recipe=recipe(MEAN_SQUARE), reading=reading)
    assert error.value.line == 32
