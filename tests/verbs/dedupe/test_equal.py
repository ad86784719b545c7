"""Reasons for removal: the chosen equality, the model's score, or similar spelling."""

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.base.text_equality import Equal
from textkin.verbs.dedupe.checks import guarantee
from textkin.verbs.dedupe.deduped import DedupeOptions, dedupe_texts
from textkin.verbs.dedupe.removal_reasons import Way

TEXTS = ["Scan 10²!", "scan 10²!", "Scan 10² !", "ＳＣＡＮ 10²!", "Scan 102!", "scan 10²"]
APART = np.eye(len(TEXTS), dtype=np.float32)


@pytest.mark.parametrize(
    ("equal", "groups"),
    [
        (Equal.EXACT, []),
        (Equal.FORM, []),
        (Equal.CASE, [{0, 1, 3}]),
        (Equal.LETTERS, [{0, 1, 2, 3, 5}]),
    ],
)
def test_what_is_equal_can_be_chosen(equal, groups):
    found = dedupe_texts(TEXTS, embeddings=APART, options=DedupeOptions(threshold=1, guards=(), equal=equal))
    assert list(map(set, found.groups)) == groups
    assert set(found.ways) <= {Way.EQUAL}


def test_a_level_may_be_named():
    assert DedupeOptions(equal="form").equal is Equal.FORM
    with pytest.raises(UsageError) as error:
        DedupeOptions(equal="words")
    assert error.value.params == ("equal",)


def test_each_text_says_by_what_it_goes():
    texts = ["same text", "Same text", "near one", "near two", "spelt as this is 1", "spelt as this is 2"]
    vectors = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0.01], [0, 0, 1], [0.9, 0, -1]])
    options = DedupeOptions(threshold=0.9, guards=(), lexical=0.5)
    found = dedupe_texts(texts, embeddings=vectors.astype(np.float32), options=options)
    assert [(row["id"], row["by"]) for row in found.rows()] == [
        (place, way)
        for place, way in zip(found.removed.tolist(), ("equal", "model", "spelling"), strict=True)
    ]
    checked = guarantee(found)
    assert checked is not None and checked.holds and checked.spelt == 1
    assert checked.weakest == pytest.approx(0.99995, abs=1e-4)


def test_spelling_takes_no_text_with_unknown_words():
    texts = [
        "城市里的老图书馆每天早上九点开门，晚上八点关门。",
        "城市里的老图书馆每天早上十点开门，晚上八点关门。",
    ]
    found = tk.dedupe(texts, lexical=0.5, guards=())
    assert found.kept.tolist() == [0, 1] and found.withheld_texts == 2
    accepted = tk.dedupe(texts, lexical=0.5, guards=(), unknown="accept")
    assert len(accepted.kept) == 1


@pytest.mark.parametrize("most", [1 << 22, 1], ids=["all pairs", "those that decide"])
def test_no_cosine_takes_a_text_with_unknown_words(monkeypatch, most):
    monkeypatch.setattr("textkin.vectors.similar_texts.MOST_PAIRS", most)
    texts = ["жыроф ыка бруъ", "How are you today?", "Where is the bank?", "жыроф ыка бруът", "a fox"]
    found = tk.dedupe(texts, threshold=-1, guards="none")
    assert [place for place in found.kept.tolist() if place in (0, 3)] == [0, 3]
    assert len(found.kept) == 3 and guarantee(found).holds


def test_mined_pairs_of_equal_texts_come_with_their_own_spelling():
    options = {"threshold": 0.999, "equal": "case"}
    mined = tk.mine(["A cat", "a cat", "a dog"], embeddings=np.eye(3, dtype=np.float32), **options)
    assert [(row["text_a"], row["text_b"], row["score"]) for row in mined.rows()] == [("A cat", "a cat", 1)]
    assert mined.about.equal == 1 and mined.about.different == 2
    others = tk.mine(
        ["A cat"],
        embeddings=np.eye(2, dtype=np.float32)[:1],
        against=["a dog", "a  cat"],
        against_embeddings=np.eye(2, dtype=np.float32)[::-1].copy() * np.float32(-1),
        **options,
    )
    assert [(row["text_a"], row["text_b"]) for row in others.rows()] == [("A cat", "a  cat")]
