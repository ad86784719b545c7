"""Scores of models that give classes."""

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.verbs.use import scored


class Judge:
    """Classes by the letters that both texts share; of two classes the second one has a score, too."""

    name = "judge"

    def __init__(self, labels):
        self.labels = labels

    def classify(self, pairs):
        shared = np.array([len(set(a) & set(b)) for a, b in pairs])
        found = np.full((len(pairs), len(self.labels)), 0.1)
        found[np.arange(len(pairs)), np.minimum(shared, len(self.labels) - 1)] = 0.9
        return found / found.sum(axis=1, keepdims=True)


class Scoring(Judge):
    def score(self, pairs):
        found = self.classify(pairs)
        return np.log(found[:, 1] / found[:, 0])


PAIRS = [("a", "b"), ("ab", "bc"), ("abc", "abc")]


def test_of_three_classes_the_likeliest_is_given_with_its_probability():
    found = tk.score(PAIRS, model=Judge(("none", "some", "all")))
    assert [row["class"] for row in found.rows()] == ["none", "some", "all"]
    np.testing.assert_allclose(found.scores, 0.9 / 1.1, rtol=1e-6)


def test_of_two_classes_the_score_is_for_the_second(monkeypatch):
    monkeypatch.setattr(scored, "system_of", lambda *_, **__: Scoring(("no", "yes")))  # as a trained network
    found = tk.score(PAIRS, model="trained", threshold=0.0)
    np.testing.assert_allclose(found.scores, np.log([1 / 9, 9, 9]), rtol=1e-6)
    assert found.classes == () and found.same.tolist() == [False, True, True]


def test_a_pair_with_an_empty_text_is_counted_and_has_no_score(capsys, tmp_path):
    frame = pd.DataFrame({"a": ["x y", "", "z w"], "b": ["x y", "q", "k"]}, index=[7, 8, 9])
    for given in ((frame,), (list(zip(frame.a, frame.b, strict=True)),), (frame.a, frame.b)):
        found = tk.score(*given, threshold=0.9)
        assert np.isfinite(found.scores).tolist() == [True, False, True]
        assert found.decided.tolist() == [True, None, False] and found.same.mean() == 0.5
        again = tk.open_result(found.save(tmp_path / "scored.zip"))
        assert again.decided.tolist() == [True, None, False] and list(found.places) == [1, 2, 3]
        assert "x y" in str(found) and "x y" in found._repr_html_()
        assert "3 rows, 2 kept; skipped 1: 1 empty text (row 2)" in capsys.readouterr().err
    same = tk.score(frame, threshold=0.9).same
    assert (frame[same].a.tolist(), frame[~same].a.tolist()) == (["x y"], ["z w"])
    assert tk.score(frame[["a", "b"]]).to_pandas()["score"].isna().tolist() == [False, True, False]
    classes = tk.score(frame, model=Judge(("none", "some", "all")))
    assert classes.classes[1] == "" and classes.rows()[0]["class"] == classes.classes[0] != ""


def test_a_labelled_pair_with_an_empty_text_is_left_out_as_in_a_file(capsys, tmp_path):
    frame = pd.DataFrame({"a": ["x y", " ", "z w"], "b": ["x y", "q", "k"], "label": [1, 1, 0]})
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    pairs = tk.as_pairs(frame)
    assert [(pair.a, pair.label, pair.row) for pair in pairs] == [("x y", 1.0, 0), ("z w", 0.0, 2)]
    assert "skipped 1: 1 empty text (row 2)" in capsys.readouterr().err
    assert pairs.texts == tk.load_pairs(tmp_path / "pairs.csv").data.texts


def test_texts_to_fit_on_are_refused_by_what_takes_none():
    for call in (tk.score, tk.explain):
        with pytest.raises(tk.TextkinError) as error:
            call("open the door", "the door", "default", fit=["open", "door"])
        assert error.value.params == ("fit",)
    fitted, alone = (
        tk.score("open the door", "the door", "tfidf", fit=fit) for fit in (["the"] * 5 + ["open door"], None)
    )
    assert fitted != alone


@pytest.mark.parametrize("blank", ["", " ", "\u3000"])
def test_a_blank_text_has_no_score_and_no_explanation(blank):
    for asked in (tk.score, tk.explain):
        with pytest.raises(UsageError) as error:
            asked("a text", blank)
        assert error.value.params == ("b",)
    assert np.isnan(tk.score([("a", blank), ("a", "a")]).scores).tolist() == [True, False]
