"""Ensembles of choosers, also of those with a corpus, and their agreement."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import textkin as tk
from tests.making_choices import as_table
from textkin.base.errors import LeakError, ModelError
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.data.readers.choices import read_choices
from textkin.kinds.exam_corpora import Corpora
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.models.ensembles.ensemble_folder import load_saved
from textkin.verbs.answer.chosen import choose
from textkin.verbs.evaluate.agree import agree

WORDS = ["iron", "water", "wood", "glass", "paper", "stone", "sand", "salt", "wool", "clay", "ice", "milk"]
DRAWS = {"resamples": 50, "rounds": 50}
SAMPLING = Sampling(**DRAWS)


def questions(start: int, count: int) -> ChoiceSet:
    """Questions about numbered things, whose answers are in :func:`cards`."""
    found = []
    for number in range(start, start + count):
        right = WORDS[number % len(WORDS)]
        others = [WORDS[(number + step) % len(WORDS)] for step in (1, 4, 7)]
        place = number % 4
        choices = (*others[:place], right, *others[place:])
        asked = f"Which material has the property number{number} of all?"
        found.append(ChoiceQuestion(str(number), asked, choices, place))
    return ChoiceSet(tuple(found))


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exam")
    (folder / "dev.tsv").write_text(as_table(questions(0, 30)))
    (folder / "test.tsv").write_text(as_table(questions(30, 30)))
    (folder / "cards.tsv").write_text(
        "".join(
            f"{number}\tA known property is number{number}, is it?\t{WORDS[number % len(WORDS)]}\n"
            for number in range(60)
        )
    )
    return folder


def test_an_ensemble_looks_things_up(exam: Path, tmp_path: Path) -> None:
    corpora = Corpora(corpus=(exam / "cards.tsv",))
    out = tmp_path / "both"
    made = tk.ensemble(
        ["lucene", "longest", "first"],
        dev=exam / "dev.tsv",
        out=out,
        combine="logistic",
        corpus=exam / "cards.tsv",
        **DRAWS,
    )
    assert made.kind == "choices"
    assert made.weights["lucene"] > abs(made.weights["first"])
    assert any("60 answered questions" in note for note in made.notes)
    assert made.adds["lucene"] > 0.3 > max(made.adds["longest"], made.adds["first"])
    others = tk.ensemble(
        ["longest", "first"], dev=exam / "dev.tsv", out=tmp_path / "others", combine="logistic", **DRAWS
    )
    assert others.adds == {}
    gain = made.compared.ensemble.value - others.compared.ensemble.value
    assert made.adds["lucene"] == pytest.approx(gain)
    assert [row["adds"] for row in made.rows()][-1] is None
    options = Options(baselines=("first",), sampling=SAMPLING, corpora=corpora)
    found = choose(read_choices(exam / "test.tsv"), str(out), options=options)
    assert found.measured is not None
    accuracy = {row.name: row.measures["accuracy"].value for row in found.measured.systems.rows}
    assert accuracy[str(out)] > 0.9 > accuracy["first"]
    # Another corpus makes another member.
    (tmp_path / "fewer.tsv").write_text("1\tWhat?\tiron\n")
    other = Options(sampling=SAMPLING, corpora=Corpora(corpus=(tmp_path / "fewer.tsv",)))
    with pytest.raises(ModelError) as error:
        choose(read_choices(exam / "test.tsv"), str(out), options=other)
    assert error.value.value == "lucene"
    # By default the original path is used.
    plain = Options(baselines=("first",), sampling=SAMPLING)
    alone = choose(read_choices(exam / "test.tsv"), str(out), options=plain)
    assert [one.scores for one in alone.choices] == [one.scores for one in found.choices]
    assert any("60 answered questions" in note for note in alone.notes)
    keeping = replace(options, corpora=replace(corpora, keep_leaks=True))
    with pytest.raises(ModelError) as error:
        choose(read_choices(exam / "test.tsv"), str(out), options=keeping)
    assert error.value.value == "lucene"
    # It has learnt from dev.
    with pytest.raises(LeakError):
        choose(read_choices(exam / "dev.tsv"), str(out), options=options)


def test_who_agrees_on_an_exam(exam: Path) -> None:
    corpora = Corpora(corpus=(exam / "cards.tsv",))
    found = agree(
        exam / "test.tsv",
        models=["lucene", "first", "cards=lucene,shortest"],
        options=Options(sampling=SAMPLING, corpora=corpora),
    )
    assert found.kind == "choices"
    pairs = {(one.a, one.b): one.same.value for one in found.agreed.pairs}
    assert pairs["lucene", "cards-seed0"] == 1.0
    assert any("60 answered questions" in note for note in found.notes)
    assert {one.system for one in found.agreed.members} == {"lucene", "first", "cards-seed0", "cards-seed1"}


@pytest.mark.torch
def test_a_supporting_model_is_found_from_anywhere(
    exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tmp_path / "facts.txt"
    facts.write_text("".join(f"Material {WORDS[at % 12]} has number{at}.\n" for at in range(60)))
    monkeypatch.chdir(tmp_path)
    tk.export("default", out="box", to="model2vec")
    corpora = Corpora(support=(facts,))
    made = tk.ensemble(
        ["support:box", "first"], dev=exam / "dev.tsv", out="both", combine="mean", support=facts, **DRAWS
    )
    assert set(made.weights) == {"support:box", "first"}
    monkeypatch.chdir(exam)
    options = Options(baselines=("first",), sampling=SAMPLING, corpora=corpora)
    assert choose(read_choices("test.tsv"), str(tmp_path / "both"), options=options).measured is not None


def test_what_learns_elsewhere_is_another_member(exam: Path, tmp_path: Path) -> None:
    for name, start in (("train", 60), ("other", 80)):
        made = as_table(questions(start, 20)).replace("Which material has the property", "Name what has")
        (tmp_path / f"{name}.tsv").write_text(made.replace(" of all?", "?"))
    out = tmp_path / "both"
    fit = tmp_path / "train.tsv"
    tk.ensemble(["choice-words", "first"], dev=exam / "dev.tsv", out=out, combine="mean", fit=fit, **DRAWS)
    same = Options(baselines=("first",), sampling=SAMPLING, fit=fit)
    assert choose(read_choices(exam / "test.tsv"), str(out), options=same).measured is not None
    other = Options(baselines=("first",), sampling=SAMPLING, fit=tmp_path / "other.tsv")
    with pytest.raises(ModelError) as error:
        choose(read_choices(exam / "test.tsv"), str(out), options=other)
    assert error.value.value == "choice-words"


@pytest.mark.torch
def test_an_ensemble_keeps_where_it_looks(
    exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    shutil.copytree(exam, home)
    tk.export("default", out=home / "box", to="model2vec")
    monkeypatch.chdir(home)
    tk.ensemble(
        ["lucene", "first"],
        dev="dev.tsv",
        out="both",
        combine="mean",
        corpus="cards.tsv",
        voters=7,
        question_scorer="box",
        answer_scorer="bm25",
        **DRAWS,
    )
    asked = Options(baselines=("first",), sampling=SAMPLING)
    before = choose(read_choices("test.tsv"), "both", options=asked)
    assert any("the 7 most similar questions vote" in note for note in before.notes)
    monkeypatch.chdir(tmp_path)
    home.rename(tmp_path / "moved")
    after = choose(read_choices("moved/test.tsv"), "moved/both", options=asked)
    assert [one.scores for one in after.choices] == [one.scores for one in before.choices]
    saved = load_saved("moved/both")
    assert Corpora.of_ensemble(saved, Path("moved/both")) == Corpora(
        (tmp_path / "moved" / "cards.tsv",),
        k=7,
        question_scorer=str(tmp_path / "moved" / "box"),
        answer_scorer="bm25",
    )
    (tmp_path / "moved" / "cards.tsv").unlink()
    with pytest.raises(ModelError) as error:
        choose(read_choices("moved/test.tsv"), "moved/both", options=asked)
    assert error.value.value == "lucene"
    manifest = json.loads((tmp_path / "moved" / "both" / "ensemble.json").read_text())
    manifest["looked_up"]["k"] = "many"
    (tmp_path / "moved" / "both" / "ensemble.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError) as error:
        choose(read_choices("moved/test.tsv"), "moved/both", options=asked)
    assert str(error.value.path).endswith("ensemble.json")
    assert error.value.params == ("k",)
