"""The verdict of a check, and its reasons."""

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import ModelError, VerifyError
from textkin.base.spelling import offering
from textkin.data.protocols import Side
from textkin.models.passports.checking import compare, require
from textkin.models.passports.document import Passport
from textkin.models.passports.making import passport_of


class Fixed:
    """An encoder whose vectors depend on a text's letters."""

    def __init__(self, *, dim=4, query=0.0, limit=None, normalize=None, seed=0, adds=0.0):
        self.name, self.dim = "fixed", dim
        self.max_tokens, self.reads_pairs = limit, False
        self._query, self._seed, self._normalize, self._adds = query, seed, normalize, adds
        self.is_table, self.has_sides, self.adds_unknown = False, bool(query), bool(adds)

    def settings(self):
        return {"arguments": {} if self._normalize is None else {"normalize": self._normalize}}

    def lengths(self, texts, *, side=Side.DOCUMENT):
        return np.array([len(text) for text in texts])

    def network_vectors(self, texts, *, side=Side.DOCUMENT):
        rows = [np.random.default_rng([self._seed, *text.encode()]).normal(size=self.dim) for text in texts]
        found = np.array(rows, dtype=np.float32) + (self._query if side is Side.QUERY else 0)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def encode(self, texts, *, side=Side.DOCUMENT):
        return self.network_vectors(texts, side=side) + np.float32(self._adds)

    def score(self, pairs):
        raise NotImplementedError


def checked(ours, theirs):
    return compare(passport_of(ours), passport_of(theirs))


def test_the_same_model():
    found = checked(Fixed(), Fixed())
    assert found.accepted and found.reasons == () and found.drifts["document"].is_rounding
    assert found.notes == ("both say the same of all canaries: they are one model for all purposes",)
    assert require(found) is found


def test_another_model_is_refused_with_what_differs():
    found = checked(Fixed(limit=9), Fixed(limit=8, seed=1))
    assert not found.accepted and found.settings == ("limits.max_tokens: 9, 8",)
    with pytest.raises(VerifyError) as error:
        require(found)
    assert error.value.fix == "give that model, or go on with `accept_drift`"
    with pytest.raises(VerifyError) as error, offering(["model"]):  # as of cluster, calibrate or serve
        require(found)
    assert error.value.fix == "give that model"
    assert require(found, accept_drift=True) is found


def test_other_widths_and_kinds():
    assert checked(Fixed(), Fixed(dim=3)).reasons == ("it has 3 dimensions, the passport 4",)

    class Words:
        name = "words"

        def score(self, pairs):
            return np.ones(len(pairs))

    assert checked(Fixed(), Words()).reasons == ("it gives scores, the passport has vectors",)


@pytest.mark.parametrize(("ours", "theirs"), [(0.0, 1.0), (1.0, 0.0), (1.0, 2.0)])
def test_the_side_of_queries_counts(ours, theirs):
    found = checked(Fixed(query=ours), Fixed(query=theirs))
    assert found.drifts["document"].accepted and not found.accepted
    assert found.reasons[0].startswith("queries: ")


@pytest.mark.slow
def test_what_is_added_for_unknown_words_counts_where_both_add_it():
    assert not checked(Fixed(adds=0.5), Fixed(adds=0.9)).accepted
    found = checked(Fixed(adds=0.5), Fixed())
    assert found.accepted and "adds nothing for unknown words" in found.notes[1]


@pytest.mark.slow
def test_what_no_canary_shows():
    assert not checked(Fixed(normalize=True), Fixed(normalize=False)).accepted
    assert checked(Fixed(normalize=True), Fixed()).accepted
    assert checked(Fixed(limit=50_000), Fixed(limit=40_000)).reasons == (
        "it reads 40000 tokens, not 50000, of longer texts",
    )
    assert not checked(Fixed(), Fixed(limit=40_000)).accepted
    assert checked(Fixed(), Fixed(limit=40)).accepted  # the vectors have shown that it makes no difference


def test_other_canaries_can_not_be_compared():
    few = tk.verify("default").passport.canaries
    ours = passport_of(Fixed(), canaries=type(few)(2, few.texts[:9]))
    with pytest.raises(VerifyError):
        compare(ours, passport_of(Fixed()))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("rule", "bound"), -1.0),
        (("rule", "bound"), 0.9),
        (("rule", "bound"), 2.0),
        (("rule", "length"), 1e9),
        (("rule", "length"), -1.0),
        (("model", "settings", "arguments"), "x"),
        (("model", "settings", "limits"), 3),
        (("model", "settings", "limits", "max_tokens"), "x"),
        (("model", "settings", "limits", "longest_canary"), []),
    ],
)
def test_a_forged_passport_is_refused(place, value):
    values = found = tk.verify("default").passport.to_dict()
    for key in place[:-1]:
        found = found[key]
    found[place[-1]] = value
    with pytest.raises(ModelError):
        Passport.from_dict(values, "forged.json")
