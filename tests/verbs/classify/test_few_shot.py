"""N-way K-shot accuracy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError, UsageError
from textkin.data.readers.labelled_texts import LabelledTexts
from textkin.kinds.systems import load
from textkin.verbs.classify.classified import ClassifyOptions
from textkin.verbs.classify.few_shot import CHANCE, FewShotOptions, draw_episodes, few_shot

THINGS = ["car", "door", "rain", "boat", "cat", "tax", "moon"]
ROWS = [(f"{thing} {verb} today", thing) for thing in THINGS for verb in ("sinks", "sings", "stays", "goes")]


def labelled(rows):
    texts, labels = zip(*rows, strict=True)
    return LabelledTexts(tuple(map(str, range(len(rows)))), texts, labels, "rows")


@given(st.lists(st.integers(3, 6), min_size=2, max_size=6), st.data())
def test_episodes_are_of_different_classes_and_texts(sizes, data):
    ends = np.cumsum([0, *sizes])
    classes = [list(range(ends[n], ends[n + 1])) for n in range(len(sizes))]
    of = np.repeat(np.arange(len(sizes)), sizes)
    ways, shots = data.draw(st.integers(2, len(sizes))), data.draw(st.integers(1, 2))
    options = FewShotOptions(ways=ways, shots=shots, rounds=20, seed=data.draw(st.integers(0, 9)))
    drawn = draw_episodes(classes, options)
    for query, examples, answer in zip(drawn.queries, drawn.examples, drawn.answers, strict=True):
        table = of[examples].reshape(ways, shots)
        assert (table == table[:, :1]).all() and len(set(table[:, 0])) == ways
        assert len({*examples.tolist(), int(query)}) == ways * shots + 1
        assert of[query] == table[answer, 0]
    again = draw_episodes(classes, options)
    assert np.array_equal(drawn.examples, again.examples) and np.array_equal(drawn.queries, again.queries)


@pytest.mark.slow
def test_classes_and_answers_are_drawn_evenly():
    drawn = draw_episodes(
        [[n * 3, n * 3 + 1, n * 3 + 2] for n in range(5)], FewShotOptions(ways=4, rounds=4000)
    )
    assert np.allclose(np.bincount(drawn.answers, minlength=4) / 4000, 0.25, atol=0.03)
    assert np.allclose(np.bincount(drawn.queries // 3, minlength=5) / 4000, 0.2, atol=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["default", "tfidf", "pairwise"])
@pytest.mark.parametrize("shots", [1, 3])
def test_accuracy_is_that_of_one_score_at_a_time(model, shots):
    class Pairwise:
        name = "pairwise"

        def score(self, pairs):
            return [len(set(a) & set(b)) / len(set(a) | set(b)) for a, b in pairs]

    chosen = Pairwise() if model == "pairwise" else model
    data, options = labelled(ROWS), FewShotOptions(ways=4, shots=shots, rounds=60, seed=5)
    found = few_shot(chosen, data, options=options, how=ClassifyOptions(baselines=()))
    scorer = load("default") if model == "default" else ClassifyOptions().scorer(chosen, data.texts)
    classes = [[n for n, (_, label) in enumerate(ROWS) if label == thing] for thing in THINGS]
    drawn, right = draw_episodes(classes, options), 0
    for query, examples in zip(drawn.queries.tolist(), drawn.examples.tolist(), strict=True):
        scores = [float(scorer.score([(data.texts[query], data.texts[one])])[0]) for one in examples]
        best = examples[max(range(len(scores)), key=lambda one: (round(scores[one], 5), -one))]
        right += data.labels[best] == data.labels[query]
    assert found.rows()[0]["accuracy"] == right / 60


@pytest.mark.slow
def test_a_constant_is_at_chance_and_baselines_stand_beside():
    options = FewShotOptions(ways=5, rounds=2000)
    found = few_shot("constant", labelled(ROWS), options=options, how=ClassifyOptions(baselines=("tfidf",)))
    accuracy = dict(found.accuracy)
    assert list(accuracy) == ["constant", "tfidf", CHANCE]
    assert accuracy["constant"].value == pytest.approx(0.2, abs=0.03)
    assert accuracy[CHANCE].value == 0.2 and accuracy[CHANCE].low is None
    assert accuracy["tfidf"].value == 1.0 and accuracy["tfidf"].low < 1.0


def test_repeated_texts_and_small_classes_are_left_out_and_counted():
    found = few_shot("tfidf", labelled([*ROWS, ("Car sinks, today!", "car"), ("one", "lonely")]),
                     options=FewShotOptions(ways=7, rounds=20))  # fmt: skip
    assert (found.classes, found.small, found.repeated) == (7, 1, 1)
    assert "left out: texts that their class has before, 1" in str(found)


def test_what_is_refused():
    with pytest.raises(DataError, match="7 of 7 classes have 2 texts or more, and 20 are needed"):
        few_shot("tfidf", labelled(ROWS))
    with pytest.raises(DataError, match="0 of 7 classes have 5 texts"):
        few_shot("tfidf", labelled(ROWS), options=FewShotOptions(ways=2, shots=4))
    with pytest.raises(UsageError) as error:
        few_shot("tfidf", labelled(ROWS), how=ClassifyOptions(threshold=0.5))
    assert error.value.params == ("threshold",)
    for wrong in ({"rounds": 0}, {"ways": True}, {"ways": 10**6, "rounds": 1000}):
        with pytest.raises(UsageError):
            FewShotOptions(**wrong)
