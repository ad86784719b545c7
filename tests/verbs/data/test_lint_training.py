from pathlib import Path
from types import SimpleNamespace

import pytest

import textkin as tk
from textkin.data import samples
from textkin.data.readers.choices import read_choices
from textkin.data.readers.datasets.beir import write_beir
from textkin.data.readers.datasets.squad import read_squad
from textkin.data.splits.findings import Severity, Topic
from textkin.data.splits.training_texts import SeenShare
from textkin.kinds.systems import load
from textkin.verbs.data.lint_training import lint_training


def test_pairs_that_a_model_learnt_from_are_counted(tmp_path):
    pairs = samples.pairs("support-desk")[::5]
    known = tk.as_pairs(pairs, name="desk")
    tk.ensemble(
        ["default", "minhash"], dev=known, out=tmp_path / "e", combine="mean", resamples=50, rounds=99
    )
    others = tk.as_pairs([*samples.pairs("cooking")[::3], *pairs[:4]], name="cooking")
    report = tk.lint([known, others], model=tmp_path / "e")
    found = report.of(Topic.LEARNT_PAIR)
    assert [(one.files, one.count, one.severity) for one in found] == [
        (("desk",), len(known), Severity.WARNING),
        (("cooking",), 4, Severity.WARNING),
    ]
    assert f"was trained on: 4 of {len(others)}." in found[1].message
    assert not tk.lint([known, others], model="default").of(Topic.LEARNT_PAIR)


def test_files_named_after_public_data_are_told(tmp_path):
    for name in ("quora.tsv", "mine.tsv"):
        (tmp_path / name).write_text("text1\ttext2\tlabel\na\tb\t1\nc\td\t0\n")
    report = tk.lint([tmp_path / "quora.tsv", tmp_path / "mine.tsv"], model="minilm")
    (found,) = report.of(Topic.PRETRAINED)
    assert (found.files, found.severity) == ((str(tmp_path / "quora.tsv"),), Severity.INFO)
    assert "minilm was pretrained on Quora's question pairs" in found.message


def test_data_without_pairs_are_known_by_their_name_alone():
    (found,) = lint_training(load("default"), {"snli.txt": (), "texts.txt": ()})
    assert (found.kind, found.files) == (Topic.PRETRAINED, ("snli.txt",))


def test_as_many_pairs_as_chance_finds_are_no_finding():
    pairs = [("a", "b"), ("c", "d")]
    for by_chance, found in ((0.0, [1]), (1.0, [])):
        share = SeenShare(2, 1, 1, by_chance)
        system = SimpleNamespace(
            name="mine", model=SimpleNamespace(seen=SimpleNamespace(share=lambda _, share=share: share))
        )
        assert [one.count for one in lint_training(system, {"pairs": pairs})] == found


def test_questions_with_passages_choices_and_documents_are_counted(tmp_path):
    folder = Path(samples.__file__).parent
    town, exam = read_squad(folder / "town.json").data, read_choices(folder / "exam.tsv").data
    corpus = tk.RetrievalSet(
        {"d1": "At nine.", "d2": "In the yard."},
        {"q1": "When do you open?"},
        tk.Qrels.from_dict({"q1": {"d1": 1, "d2": 0}}),
        name="desk",
    )
    learnt = [*town.texts[:5], *exam.texts[:7], *corpus.texts[:1]]
    known = tk.as_pairs([(a, b, at % 2) for at, (a, b) in enumerate(learnt)], name="known")
    tk.ensemble(
        ["default", "minhash"], dev=known, out=tmp_path / "e", combine="mean", resamples=50, rounds=99
    )
    write_beir(corpus, tmp_path / "desk")
    files = [str(folder / "town.json"), str(folder / "exam.tsv"), str(tmp_path / "desk")]
    of_files = tk.lint(files, model=tmp_path / "e").of(Topic.LEARNT_PAIR)
    assert [(one.files, one.count) for one in of_files] == [
        ((name,), count) for name, count in zip(files, (5, 7, 1), strict=True)
    ]
    in_memory = tk.lint([town, exam], model=tmp_path / "e").of(Topic.LEARNT_PAIR)
    assert [one.count for one in in_memory] == [5, 7]


@pytest.mark.parametrize("model", ["reader", "phrases"])
def test_models_that_answer_are_asked_what_they_learnt(model, tmp_path):
    (tmp_path / "squad.json").write_text((Path(samples.__file__).parent / "town.json").read_text())
    report = tk.lint(tmp_path / "squad.json", model=model)
    assert not report.of(Topic.LEARNT_PAIR)
    (found,) = report.of(Topic.PRETRAINED)
    assert f"{model} was pretrained on SQuAD" in found.message
