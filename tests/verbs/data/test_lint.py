"""tk.lint."""

import pandas as pd
import pytest

import textkin as tk
from tests.verbs.public.making import LEAKING, TRAIN
from textkin.base.errors import DataError, UsageError


def test_it_finds_shared_texts():
    sides = tk.as_pairs(TRAIN, name="train"), tk.as_pairs(LEAKING, name="dev")
    found = {one.kind.value: one for one in tk.lint(sides).findings}
    assert found["shared-text"].count > 0
    assert found["shared-pair"].count == 40


MILL = "Ann built the mill in 1820."
SPANS = pd.DataFrame(
    {"question": ["Who built it?", "When?"], "context": [MILL, MILL], "answer": ["Ann", "1820"]}
)
EXAM = pd.DataFrame(
    {"question": ["What melts?", "What burns?"], "choices": [["ice", "fire"]] * 2, "answer": ["A", "B"]}
)


@pytest.mark.parametrize(
    ("frame", "count"),
    [(SPANS, {"passages": 1, "questions": 2}), (EXAM, {"questions": 2})],
    ids=["spans", "exam"],
)
def test_frames_of_questions_are_compared_like_their_files(frame, count):
    alone = tk.lint(frame)
    assert (alone.findings, alone.pairs) == ((), (("questions", 2),))
    both = tk.lint([frame, frame.iloc[::-1]])
    shared = [one for one in both.findings if one.kind.value == "shared-text"]
    assert {one.message.split()[0]: one.count for one in shared} == count
    assert {frozenset(one.files) for one in shared} == {frozenset(["files[0]", "files[1]"])}


def test_frames_of_one_name_are_told_apart():
    pairs = [("Opening hours?", "When are you open?", 1)]
    found = tk.lint([pd.DataFrame(pairs, columns=["a", "b", "label"]), pd.DataFrame(pairs)])
    assert [name for name, _ in found.pairs] == ["files[0]", "files[1]"]


def test_several_files_are_a_list():
    with pytest.raises(TypeError, match=r"lint\(\[files, \.\.\.\], model=\.\.\.\)"):
        tk.lint(SPANS, SPANS)


def test_one_pair_is_no_pairs():
    assert "pairs: 1 pair" in str(tk.lint([("a", "b", 1)])).splitlines()


TEXTS = ["How are you today?", "жыроф ыка бруъ", "Yes/No"]


@pytest.mark.parametrize(
    "given",
    [TEXTS, tuple(TEXTS), pd.Series(TEXTS), pd.DataFrame({"text": TEXTS}), [pd.DataFrame({"text": TEXTS})]],
    ids=["list", "tuple", "column", "frame", "list of frames"],
)
def test_texts_in_memory_are_checked_with_a_model(given):
    [found] = tk.lint(given, model="default").findings
    assert (found.kind.value, found.count, found.files) == ("unknown-tokens", 1, ("files",))
    assert [str(place) for one in found.examples for place in one.places] == ["files: row 1"]


def test_pairs_in_memory_are_checked_for_unknown_tokens():
    pairs = [("How are you?", TEXTS[1], 0), ("A house.", "A home.", 1)]
    found = {one.kind.value: one.count for one in tk.lint(pairs, model="default").findings}
    assert found["unknown-tokens"] == 1


def test_texts_without_a_model_are_refused():
    with pytest.raises(UsageError) as error:
        tk.lint(TEXTS)
    assert (error.value.params, error.value.value) == (("files",), TEXTS[0])
    assert error.value.fix == "check the path, or give `model` to check single texts"


@pytest.mark.parametrize("there", [True, False])
def test_names_of_files_stay_names_of_files(tmp_path, monkeypatch, there):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train").write_text("a\tb\tlabel\none\ttwo\t1\n")
    names = ["train", "no such"] if there else ["train.tsv", "dev.tsv"]
    with pytest.raises(DataError, match="no such file") as error:
        tk.lint(names, model="default")
    assert error.value.path.name == names[there]
