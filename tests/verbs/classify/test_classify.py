"""Labels by the nearest example."""

import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data.readers.labelled_texts import LabelledTexts
from textkin.verbs.classify.classified import (
    ANY,
    MOST_FREQUENT,
    ClassifyOptions,
    classify_texts,
    figures_in_words,
)
from textkin.verbs.classify.nearest_examples import NOTHING


def labelled(*rows):
    texts, labels = zip(*rows, strict=True)
    return LabelledTexts(tuple(f"t{n}" for n in range(len(rows))), texts, labels, "rows")


EXAMPLES = labelled(("red car", "car"), ("green car", "car"), ("open door", "door"), ("heavy rain", "rain"))
TEXTS = labelled(
    ("car wash", "car"), ("the door", "door"), ("RED car!", "car"), ("rain door", "rain"), ("xyz", "door"),
    ("car", "boat"), ("car", ""),
)  # fmt: skip


def test_labels_second_labels_and_figures():
    found = classify_texts("tfidf", TEXTS, EXAMPLES, options=ClassifyOptions(baselines=("bm25", "tfidf")))
    assert found.labels == ("car", "door", "car", "rain", None, "car", "car")
    rows = found.rows()
    assert (rows[0]["example"], rows[0]["second"], rows[0]["own"]) == ("t0", None, "car")
    assert (rows[3]["label"], rows[3]["second"]) == ("rain", "door")
    assert (rows[4]["label"], rows[4]["similarity"], rows[6]["own"]) == (None, None, None)
    figures = found.figures
    # One text is among the examples, one has no label; of the other five three are right.
    assert (figures.judged, figures.among, figures.foreign) == (5, 1, 1)
    accuracy = dict(figures.accuracy)
    assert list(accuracy) == ["tfidf", "bm25", MOST_FREQUENT, ANY]
    assert accuracy["tfidf"].value == 3 / 5 and accuracy[MOST_FREQUENT].value == 1 / 5
    assert accuracy[ANY].value == pytest.approx(4 / 5 / 3) and accuracy[ANY].low is None
    assert accuracy["tfidf"].low < 0.6 < accuracy["tfidf"].high
    assert (figures.decided, figures.precision.value) == (4 / 5, 3 / 4)
    assert found.notes == ("no label: 1 text, with nothing in common with any example",)
    assert "left out of these figures, being among the examples: 1 text" in list(figures_in_words(figures))


def test_a_threshold_gives_no_label_and_leaves_the_comparison_alone():
    free = classify_texts("default", TEXTS, EXAMPLES)
    cut = sorted(free.nearest.score.tolist())[3]
    found = classify_texts("default", TEXTS, EXAMPLES, options=ClassifyOptions(threshold=cut))
    below = [score < cut for score in free.nearest.score.tolist()]
    assert [label is None for label in found.labels] == below
    assert found.figures.accuracy == free.figures.accuracy
    assert found.figures.decided < 1
    assert f"no label: 3 texts, below the threshold {cut:g} (not fitted)" in found.notes


def test_unlabelled_texts_have_no_figures():
    found = classify_texts("default", labelled(("a red car", "")), EXAMPLES)
    assert (found.labels, found.figures) == (("car",), None)
    assert found.nearest.second[0] != NOTHING
    assert "labels by default" in str(found)


def test_what_is_refused():
    nothing = LabelledTexts((), (), ())
    for texts, examples in ((nothing, EXAMPLES), (TEXTS, nothing)):
        with pytest.raises(DataError, match="there is no"):
            classify_texts("default", texts, examples)
    with pytest.raises(UsageError) as error:
        classify_texts("default", TEXTS, labelled(("a", "none"), ("b", "c")))
    assert error.value.params == ("examples",)
    with pytest.raises(UsageError) as error:
        ClassifyOptions(baselines=("tfdf",))
    assert error.value.params == ("baselines",)
    with pytest.raises(UsageError) as error:
        ClassifyOptions(threshold=float("nan"))
    assert error.value.params == ("threshold",)


def test_a_model_in_the_place_of_examples_is_one_of_pairs():
    for name in ("nli", "tfidf"):
        with pytest.raises(UsageError) as error:
            tk.classify([("It rains.", "It is wet.")], name)
        assert (error.value.params, error.value.value) == (("examples",), name)
        assert "score" in str(error.value.fix)
    with pytest.raises(DataError):
        tk.classify(["It rains."], "missing.csv")


def test_labels_that_no_example_has_are_refused(tmp_path):
    texts, examples = tmp_path / "texts.jsonl", tmp_path / "examples.csv"
    texts.write_text('{"text": "the mill is old", "label": true}\n{"text": "a new house", "label": false}\n')
    examples.write_text("text,label\nan old mill,True\na house that is new,False\n")
    with pytest.raises(DataError, match=r"such as 'true', 'false': examples have 'True', 'False'"):
        tk.classify(texts, examples)
