"""Classes of texts in memory."""

import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import UsageError

TEXTS = ["a red car", "a blue car", "an open door", "a closed door"]


def examples(labels, form):
    if form == "pairs":
        return list(zip(TEXTS, labels, strict=True))
    if form == "frame":
        return pd.DataFrame({"text": TEXTS, "label": labels})
    found = {}
    for text, label in zip(TEXTS, labels, strict=True):
        found.setdefault(label, []).append(text)
    return found


@pytest.mark.parametrize("form", ["pairs", "frame", "mapping"])
@pytest.mark.parametrize("labels", [[True, True, False, False], [1, 1, 0, 0]])
def test_classes_are_named_as_in_a_file(tmp_path, form, labels):
    found = tk.classify(["my car", "the door"], examples=examples(labels, form))
    assert found.labels == (str(labels[0]), str(labels[-1]))
    path = tmp_path / "examples.csv"
    examples(labels, "frame").to_csv(path, index=False)
    assert tk.classify(["my car", "the door"], examples=path).labels == found.labels


@pytest.mark.parametrize("form", ["pairs", "frame", "mapping"])
def test_classes_of_one_name_are_not_merged(form):
    with pytest.raises(UsageError) as error:
        tk.classify(["my car"], examples=examples([1, 1, "1", "1"], form))
    assert error.value.value == "1" and "the same name" in str(error.value)
