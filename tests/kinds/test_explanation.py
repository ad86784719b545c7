import json

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data import samples
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.use.faithfulness import faithfulness

PAIR = ("How do I reset my password?", "I forgot the password")


class Loud:
    """A scorer that counts capitals."""

    name = "loud"

    def score(self, pairs):
        return np.array([sum(map(str.isupper, a + b)) for a, b in pairs], dtype=np.float32)


class Coin:
    """A classifier by the length of the first text."""

    name, labels = "coin", ("no", "maybe", "yes")

    def classify(self, pairs):
        return np.array([[0.0, 1 - len(a) / 100, len(a) / 100] for a, _ in pairs], dtype=np.float32)


def test_shares_of_the_encoder_in_the_box():
    found = tk.explain(*PAIR)
    assert (found.model, found.method, found.of_what) == ("default", "shares", "score")
    assert found.score == pytest.approx(float(tk.load().score([PAIR])[0]))
    assert sum(one.weight for one in found.first_tokens) == pytest.approx(found.score, abs=1e-6)
    assert sum(one.weight for one in found.second_tokens) == pytest.approx(found.score, abs=1e-6)
    assert found.pairs(1)[0][:2] == ("password", "password")
    assert found.pairs(1)[0][2] == found.shares.shares.max()
    assert [row["text"] for row in found.rows()] == ["first"] * 7 + ["second"] * 4
    assert "sum to the score" in str(found)


def test_words_are_left_out_of_other_scorers():
    found = tk.explain("A small Text", "TWO", model=Loud())
    assert (found.method, found.score, found.shares, found.pairs(3)) == ("leave-one-out", 5.0, None, [])
    assert [(one.token, one.weight) for one in found.first_tokens] == [
        ("A", 1.0),
        ("small", 0.0),
        ("Text", 1.0),
    ]
    assert "not a sum over words" in str(found)


def test_a_classifier_is_explained_by_its_class():
    found = tk.explain("a long text", "b", model=Coin())
    assert found.of_what == "probability of maybe" and found.score == pytest.approx(0.89)
    assert found.first_tokens[1].weight == pytest.approx(-0.04)


def test_baselines_take_frequencies_from_the_texts():
    found = tk.explain(*PAIR, model="bm25")
    assert "word frequencies from these two texts" in found.notes[0]
    assert tk.explain(*PAIR, model="bm25", fit=["a password", "b"]).notes == ()


@pytest.mark.parametrize("model", ["bm25", "lucene-classic"])
def test_two_equal_texts_are_scored_as_score_does(model):
    text = "the phone, the screen; the phone."
    assert tk.explain(text, text, model).score == pytest.approx(float(tk.score(text, text, model)), rel=1e-6)


def test_it_is_saved_by_its_ending(tmp_path):
    found = tk.explain(*PAIR)
    page, numbers = (found.write(tmp_path / name) for name in ("why.html", "why.json"))
    told = json.loads(numbers.read_text())
    assert np.sum(told["shares"]) == pytest.approx(told["score"], abs=1e-6)
    assert [one["token"] for one in told["second_tokens"]] == ["I", "forgot", "the", "password"]
    text = page.read_text(encoding="utf-8")
    assert "Why default gives this score" in text and "sum to the score, 0.79" in text
    left = tk.explain(*PAIR, model=Loud()).write(tmp_path / "loud.html").read_text(encoding="utf-8")
    assert "loses if this word alone is left out" in left
    with pytest.raises(UsageError) as error:
        found.write(tmp_path / "why.txt")
    assert error.value.params == ("out",)
    with pytest.raises(TypeError):
        tk.explain("one text")


@pytest.mark.slow
def test_faithful_orders_beat_random_ones():
    data = samples.pairs("travel")
    found = faithfulness(data, sample=40, sampling=Sampling(200, 400))
    random, shares = found.curves
    assert (found.pairs, shares.order) == (40, "shares")
    assert shares.area < random.area and shares.below_random.p < 0.05
    assert shares.scores[0] == random.scores[0]
    assert "the lower, the more faithful" in str(found)
    once, again = (faithfulness(data, sample=5, sampling=Sampling(50, 50)) for _ in range(2))
    assert again.curves == once.curves
    loud = faithfulness(data, model=Loud(), sample=10, sampling=Sampling(50, 50))
    assert [one.order for one in loud.curves] == ["random", "leave-one-out"]


def test_pairs_are_independent_and_have_words():
    pairs = [("a b", "c"), ("c", "d e"), ("", "f"), ("g", "h"), ("!!", "i")]
    data = PairSet(tuple(Pair(*pair) for pair in pairs), LabelKind.NONE, name="five")
    found = faithfulness(data, model=Loud(), sample=9, sampling=Sampling(50, 50))
    assert found.pairs == 3, "two pairs share a text, one has an empty one"
    with pytest.raises(DataError, match="five: 1 pairs of different texts"):
        faithfulness(PairSet(data.pairs[:2], LabelKind.NONE, name="five"), model=Loud())
    with pytest.raises(UsageError) as error:
        faithfulness(data, sample=1)
    assert (error.value.params, error.value.value) == (("sample",), 1)
