"""Results of one value per input in comparisons, arithmetic and frames."""

import numpy as np
import pandas as pd
import pytest

import textkin as tk

TEXTS = ["my cat sleeps", "nothing of that", "my cat sleeps", "the dog barks"]
EXAMPLES = {"cat": ["cats sleep"], "dog": ["dogs bark"]}


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, tuple])
def test_labels_are_compared_one_by_one(kind):
    found = tk.classify(TEXTS, EXAMPLES, "tfidf-char")
    right = ["cat", "dog", "cat", "dog"]
    equal = [a == b for a, b in zip(found.labels, right, strict=True)]
    assert list(found == kind(right)) == list(kind(right) == found) == equal
    assert list(found != "cat") == [label != "cat" for label in found.labels]


def test_groups_and_codes_are_compared_one_by_one():
    groups = tk.cluster(TEXTS, threshold=0.9)
    assert (groups == 1).tolist() == [True, False, True, False]
    assert (groups > 0).mean() == 0.5 and (groups + 1).tolist() == [2, 1, 2, 1]
    codes = tk.encode(TEXTS, bits=64)
    assert (codes == codes).all() and not (codes != codes.codes).any()
    frame = pd.DataFrame({"text": TEXTS})
    frame["first"] = groups == 1
    assert frame["first"].sum() == 2


def test_methods_of_arrays_do_not_change_a_result():
    found = tk.score([("a b", "c d"), ("a b", "a b"), ("x", "y")], "tfidf-char")
    before = found.scores.tolist()
    for change in (lambda: found.sort(), lambda: found.fill(0), lambda: found[:2].sort()):
        with pytest.raises(ValueError, match="read-only"):
            change()
    values = np.asarray(found)
    values.sort()
    added = found
    added += 1
    assert found.scores.tolist() == before and added.tolist() == (found + 1).tolist()


def test_places_in_a_list_are_the_index_of_rows_in_another_order():
    groups, deduped = tk.cluster(TEXTS, threshold=0.9), tk.dedupe(TEXTS)
    frame = pd.DataFrame({"text": TEXTS})
    frame["group"] = groups.to_pandas()["group"]
    assert frame["group"].fillna(0).tolist() == groups.labels.tolist()
    assert frame.drop(deduped.to_pandas().index)["text"].tolist() == deduped.kept_texts
