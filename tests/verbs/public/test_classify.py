"""tk.classify."""

import pytest

import textkin as tk
from textkin.data import samples

EXAMPLES = [("cats sleep", "cat"), ("dogs bark", "dog"), ("the sea is calm", "sea")]


def test_texts_and_examples_in_memory():
    found = tk.classify(["my cat", "a wild sea"], examples=EXAMPLES)
    assert (found.labels, found.figures) == (("cat", "sea"), None)
    assert [(row["id"], row["example"]) for row in found.rows()] == [(0, 0), (1, 2)]
    judged = tk.classify([("my cat", "cat"), ("a wild sea", "dog")], examples=EXAMPLES, model="tfidf")
    # "cat" is not a word of the examples, and "sea" is one of another label than the text's own.
    assert judged.labels == (None, "sea") and dict(judged.figures.accuracy)["tfidf"].value == 0.0


def test_an_object_as_a_model():
    class Letters:
        name = "letters"

        def score(self, pairs):
            return [len(set(a) & set(b)) for a, b in pairs]

    found = tk.classify(["sleepy cats"], examples=EXAMPLES, model=Letters())
    assert (found.model, found.labels) == ("letters", ("cat",))
    rows = [*EXAMPLES, *((f"{text} now", kind) for text, kind in EXAMPLES)]
    measured = tk.classify(rows, model=Letters(), ways=2, rounds=5)
    assert [row["system"] for row in measured.rows()] == ["letters", "tfidf", "(chance)"]


@pytest.mark.slow
def test_files():
    path = samples.path("questions.tsv")
    assert tk.classify(path, label="group", ways=5, rounds=50, model="tfidf").classes > 300
    found = tk.classify(path, examples=path, label="topic", model="tfidf")
    assert (found.figures.judged, found.figures.among) == (0, 1515)


def test_what_is_refused():
    path = samples.path("questions.tsv")
    with pytest.raises(tk.TextkinError) as error:
        tk.classify(["a"], examples=path)
    assert error.value.value == "label"
    with pytest.raises(tk.TextkinError) as error:
        tk.classify(["a"], examples=["b", "c"])
    assert error.value.params == ("examples",)
    with pytest.raises(tk.TextkinError) as error:
        tk.classify(path, ways=5)
    assert error.value.value == "label"


def test_examples_by_label_and_in_a_frame():
    frames = pytest.importorskip("pandas", reason="pandas is not installed")
    by_label = {"cat": ["cats sleep"], "dog": ["dogs bark"]}
    frame = frames.DataFrame({"words": ["cats sleep", "dogs bark"], "kind": [1, 2]}, index=["x", "y"])
    for examples, options in ((by_label, {}), (frame, {"label": "kind"})):
        found = tk.classify("my cat", examples, **options)
        assert found.labels == (("cat",) if examples is by_label else ("1",))
    judged = tk.classify(frame, by_label, label="kind", text="words")
    assert judged.texts.labels == ("1", "2")


@pytest.mark.parametrize("missing", [None, float("nan"), "", " "])
def test_examples_without_a_label_or_a_text_are_left_out_as_those_of_files(missing, capsys):
    frames = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = [*EXAMPLES, ("when do you open", missing), (" ", "cat")]
    frame = frames.DataFrame(rows, columns=["text", "label"], index=list("abcde"))
    found = tk.classify(["you open when"], frame)
    assert found.labels[0] in ("cat", "dog", "sea") and list(found.examples.ids) == ["a", "b", "c"]
    assert "5 rows, 3 kept" in capsys.readouterr().err
    judged = tk.classify(frame, EXAMPLES).figures
    assert (judged.judged, judged.among, judged.foreign) == (0, 3, 0), "no label, or no text"
    with pytest.raises(tk.TextkinError):
        tk.classify(frame.loc[["d"]], ways=2, rounds=5)


def test_rows_of_frames_are_named_as_in_the_frames():
    frames = pytest.importorskip("pandas", reason="pandas is not installed")
    examples = frames.DataFrame(
        {"said": ["cats sleep", "dogs bark"], "more": ["a b", "c d"], "label": ["cat", "dog"]},
        index=["x", "y"],
    )
    new = frames.DataFrame({"said": ["my dog", "my cat"]}, index=[20, 10])
    for given in (new, new["said"], new.assign(label="cat")):  # a column alone has none to be named
        table = tk.classify(given, examples, text="said").to_pandas()
        assert table["example"].to_dict() == {20: "y", 10: "x"}
        assert (table["id"] == table.index).all()
    with pytest.raises(tk.TextkinError) as error:
        tk.classify(["my cat"], EXAMPLES, text="said")
    assert error.value.params == ("text",)
    table = tk.classify(new.assign(id=[1, 2]), examples, text="said", id="id").to_pandas()
    assert table["id"].to_dict() == {20: 1, 10: 2}
