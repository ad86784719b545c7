"""tk.lint."""

import pandas as pd
import pytest

import textkin as tk
from tests.verbs.public.making import LEAKING, TRAIN


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
