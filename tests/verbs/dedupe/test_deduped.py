"""The guarantees of deduplication, on texts with synthetic vectors."""

import pickle
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import DataError, PromiseError, TextkinError, UsageError
from textkin.base.shingles import Unit
from textkin.base.text_equality import Equal, key_of
from textkin.vectors.groups.linkage import ColumnValues, KeepRule, Linkage
from textkin.verbs.dedupe.checks import guarantee
from textkin.verbs.dedupe.deduped import Deduped, DedupeOptions, dedupe_texts
from textkin.verbs.dedupe.sample import draw

WORDS = ["a", "A ", "bb", "b b", "ccc", "ccc 2", "not ccc", "dddd"]


def vector_of(text):
    """A vector determined by the text, from a few, so that there are ties."""
    seed = sum(map(ord, key_of(text, Equal.CASE)))
    return np.random.default_rng(seed % 7).integers(-2, 4, 3).astype(np.float32) + np.float32(0.25)


def made(texts, options, **others):
    vectors = np.array([vector_of(text) for text in texts], dtype=np.float32)
    return dedupe_texts(texts, embeddings=vectors, options=options, **others)


@st.composite
def cases(draw):
    texts = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
    options = DedupeOptions(
        threshold=draw(st.sampled_from([0.2, 0.6, 0.9, 1.0])),
        linkage=draw(st.sampled_from(Linkage)),
        keep=draw(st.sampled_from([KeepRule.LONGEST, KeepRule.CENTRAL])),
        most=draw(st.sampled_from([None, None, 2])),
        guards=draw(st.sampled_from([(), ("order",), ("numbers", "negation")])),
    )
    return texts, options


def told(found: Deduped):
    """The representative of each text, by id, with the similarity."""
    return {
        found.ids[place]: (found.ids[kept], float(found.similarity[place]))
        for place, kept in enumerate(found.stays.tolist())
    }


def scored(found: Deduped):
    """The similar pairs, with their scores."""
    pairs = found.pairs
    return {
        (frozenset((a, b)), score)
        for a, b, score in zip(pairs.a.tolist(), pairs.b.tolist(), pairs.score.tolist(), strict=True)
    }


@settings(deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(case, random):
    texts, options = case
    ids = [f"id{place}" for place in range(len(texts))]
    order = list(range(len(texts)))
    random.shuffle(order)
    found = made(texts, options, ids=ids)
    again = made([texts[place] for place in order], options, ids=[ids[place] for place in order])
    assert told(found) == told(again)
    assert [[found.ids[p] for p in group] for group in found.groups] == [
        [again.ids[p] for p in group] for group in again.groups
    ]


@settings(deadline=None)
@given(cases())
def test_every_text_that_goes_resembles_the_one_that_stays(case):
    texts, options = case
    found = made(texts, options)
    similar = {frozenset(pair) for pair in zip(found.pairs.a.tolist(), found.pairs.b.tolist(), strict=True)}
    by_key = {place: key_of(text, Equal.CASE) for place, text in enumerate(texts)}
    firsts = {place for pair in similar for place in pair}
    of_key = {by_key[place]: place for place in firsts}
    for place in found.removed.tolist():
        kept = int(found.stays[place])
        if by_key[place] == by_key[kept]:
            assert found.similarity[place] == 1
        elif options.linkage is not Linkage.COMPONENTS:
            assert frozenset((of_key[by_key[place]], of_key[by_key[kept]])) in similar
            assert found.similarity[place] >= np.float32(options.threshold)
        assert options.most or found.preference.rank[kept] < found.preference.rank[place]
    assert sorted([*found.kept, *found.removed]) == list(range(len(texts)))
    assert sum(map(len, found.groups)) == len(found.removed) + len(found.groups)


@settings(deadline=None)
@given(cases())
def test_a_second_pass_finds_nothing(case):
    texts, options = case
    if options.linkage is not Linkage.REPRESENTATIVE or options.most is not None:
        return
    found = made(texts, options)
    rest = [texts[place] for place in found.kept]
    again = made(rest, options)
    assert len(again.removed) == 0 == len(again.pairs)


@settings(deadline=None)
@given(cases(), st.sampled_from([0.0, 0.5, 0.8, 1.0]), st.sampled_from([None, 0.3]))
def test_another_threshold_is_as_a_new_call(case, threshold, lowest):
    texts, options = case
    moved = made(texts, options, lowest=lowest).rethreshold(threshold)
    fresh = made(
        texts,
        DedupeOptions(
            threshold=threshold,
            linkage=options.linkage,
            keep=options.keep,
            most=options.most,
            guards=options.guards,
        ),
    )
    assert told(moved) == told(fresh)
    assert moved.options == fresh.options


@pytest.mark.slow
@settings(deadline=None)
@given(cases(), st.sampled_from([0.0, 0.5, 0.8, 1.0]), st.integers(1, 3), st.sampled_from([None, 0.1]))
def test_where_too_many_pairs_are_similar_the_decision_is_the_same(case, threshold, batch, lowest):
    texts, options = case
    options = replace(options, linkage=Linkage.REPRESENTATIVE, keep=KeepRule.LONGEST, most=None)
    whole = made(texts, options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textkin.vectors.similar_texts.MOST_PAIRS", 1)
        patch.setattr("textkin.vectors.join.greedy_filter.BATCH", batch)
        found = made(texts, options, lowest=lowest)
        moved = found.rethreshold(threshold)
    assert found.similar.complete is (len(whole.similar.edges) == 0)  # one may be one of many
    assert told(found) == told(whole) and told(moved) == told(whole.rethreshold(threshold))
    assert guarantee(found) == guarantee(whole) and guarantee(found).holds
    assert scored(found) <= scored(whole)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            DedupeOptions(linkage=Linkage.COMPLETE),
            "leave out linkage complete, or raise the threshold to 0.978",
        ),
        (DedupeOptions(keep=KeepRule.CENTRAL, most=2), "leave out keep central and most 2, or"),
        (DedupeOptions(lexical=0.9), "leave out lexical 0.9, or"),
    ],
)
def test_options_that_need_all_pairs_are_refused_where_these_are_too_many(options, words, monkeypatch):
    monkeypatch.setattr("textkin.vectors.similar_texts.MOST_PAIRS", 10)
    angles = np.linspace(0, 4, 20)
    vectors = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    texts = [f"{'abcdefghij'[place % 10]}{place}" for place in range(20)]
    with pytest.raises(DataError, match=f"more than 4,194,304 pairs are similar from 0.9 on; {words}"):
        dedupe_texts(texts, embeddings=vectors, options=options)
    found = dedupe_texts(texts, embeddings=vectors)
    with pytest.raises(UsageError) as error:
        draw(found, 5)
    assert error.value.params == ("sample", "threshold")
    with pytest.raises(DataError, match=f"leave out {words.split(',')[0][10:]}$"):
        dedupe_texts(texts, embeddings=np.ones((20, 3), dtype=np.float32), options=options)


def test_pairs_by_brute_force():
    options = DedupeOptions(threshold=0.6, guards=())
    found = made(WORDS, options)
    vectors = {text: vector_of(text) / np.linalg.norm(vector_of(text)) for text in WORDS}
    expected = {
        frozenset((a, b))
        for a, b in combinations(range(len(WORDS)), 2)
        if key_of(WORDS[a], Equal.CASE) != key_of(WORDS[b], Equal.CASE)
        and vectors[WORDS[a]] @ vectors[WORDS[b]] >= 0.6 + 1e-6
    }
    got = {frozenset(pair) for pair in zip(found.pairs.a.tolist(), found.pairs.b.tolist(), strict=True)}
    assert {frozenset({key_of(WORDS[p], Equal.CASE) for p in pair}) for pair in got} == {
        frozenset({key_of(WORDS[p], Equal.CASE) for p in pair}) for pair in expected
    }


def test_the_same_words_in_another_order_stay_unless_asked():
    texts = ["\u4e0a\u6d77\u4eba\u5f88\u591a", "\u6d77\u4e0a\u4eba\u5f88\u591a"]  # Shanghai; at sea
    texts += ["Are cats afraid of tigers?", "Are tigers afraid of cats?"]
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=np.float32)
    found = dedupe_texts(texts, embeddings=vectors)
    assert found.kept.tolist() == [0, 1, 2, 3] and len(found.forbidden) == 2
    assert found.forbidden.score.tolist() == [1, 1]
    assert len(dedupe_texts(texts, embeddings=vectors, options=DedupeOptions(guards=())).kept) == 2


def test_guards_keep_apart_what_is_similar():
    texts = ["version 10 is out", "version 11 is out", "version 11 is not out"]
    vectors = np.ones((3, 4), dtype=np.float32)
    assert len(dedupe_texts(texts, options=DedupeOptions(guards=()), embeddings=vectors).removed) == 2
    assert len(dedupe_texts(texts, embeddings=vectors).forbidden) == 3, "guards are on unless switched off"
    found = dedupe_texts(texts, options=DedupeOptions(guards=("numbers", "negation")), embeddings=vectors)
    assert (len(found.removed), len(found.forbidden)) == (0, 3)
    assert (
        len(dedupe_texts(texts, options=DedupeOptions(guards=("numbers",)), embeddings=vectors).removed) == 1
    )


def test_near_identical_spelling_counts_where_it_is_asked_for():
    texts = ["the very same sentence, nearly", "the very same sentence, nearly!", "another"]
    vectors = np.eye(3, dtype=np.float32)
    assert len(dedupe_texts(texts, embeddings=vectors).removed) == 0
    found = dedupe_texts(texts, options=DedupeOptions(lexical=0.8), embeddings=vectors)
    assert found.removed.tolist() == [0]
    assert found.similarity.tolist() == [0, 1, 1]
    assert found.rethreshold(1.0).removed.tolist() == [0]
    vectors[1] = vectors[0]  # now they are similar in both ways, and still one pair
    assert len(dedupe_texts(texts, options=DedupeOptions(lexical=0.8), embeddings=vectors).pairs) == 1


def test_spelling_by_runs_of_words():
    texts = [
        "the very same, long sentence",
        "the very same long sentence!!",
        "very same sentence",
        "no",
        "No!",
    ]
    vectors = np.eye(5, dtype=np.float32)
    found = dedupe_texts(texts, options=DedupeOptions(lexical=1, shingles=Unit.WORDS), embeddings=vectors)
    assert found.kept.tolist() == [1, 2, 4]
    assert guarantee(found).holds
    with pytest.raises(UsageError) as error:
        DedupeOptions(shingles=Unit.WORDS)
    assert error.value.params == ("lexical",)


def test_the_highest_value_stays():
    texts, values = ["x", "X", "x "], ColumnValues.of([1, 3, 2], ["1", "3", "2"])
    found = made(texts, DedupeOptions(keep=KeepRule.HIGHEST), values=values)
    assert found.stays.tolist() == [1, 1, 1]


@pytest.mark.parametrize("texts", [["only"], [""] * 3, ["x"] * 2000])
def test_odd_sets_of_texts(texts):
    found = made(texts, DedupeOptions())
    assert len(found.kept) == 1
    assert len(found.groups) == (len(texts) > 1)


def test_pairs_are_looked_for_further_down_only_where_they_are_few(monkeypatch):
    monkeypatch.setattr("textkin.vectors.similar_texts.MOST_PAIRS", 3)
    few, many = (made(WORDS, DedupeOptions(threshold=0.97), lowest=lowest) for lowest in (0.95, -1.0))
    assert few.similar.lowest <= 0.97 and many.similar.lowest <= 0.97
    for threshold in (0.0, 0.95, 0.99):
        fresh = told(made(WORDS, DedupeOptions(threshold=threshold)))
        assert told(few.rethreshold(threshold)) == told(many.rethreshold(threshold)) == fresh


def test_the_model_in_the_box_needs_no_threshold():
    texts = ["How do I reset my password?", "how do i reset my password", "Where is the station?"]
    found = dedupe_texts(texts)
    assert (found.cut.value, found.cut.fitted) == (0.9, False)
    assert found.removed.tolist() == [1]
    assert found.preference.reason(0, 1) == "longest: 27 characters against 26 characters"
    with pytest.raises(PromiseError):
        dedupe_texts(texts, options=DedupeOptions(precision=0.95))


def test_what_can_not_be_meant():
    with pytest.raises(UsageError) as error:
        DedupeOptions(threshold=2)
    assert (error.value.params, error.value.value) == (("threshold",), 2)
    with pytest.raises(UsageError) as error:
        DedupeOptions(threshold=0.5, precision=0.9)
    assert error.value.params == ("threshold", "precision")
    with pytest.raises(UsageError) as error:
        DedupeOptions(lexical=0)
    assert (error.value.params, error.value.value) == (("lexical",), 0)
    with pytest.raises(TextkinError) as error:
        dedupe_texts(["a", "b"], embeddings=np.ones((1, 3), dtype=np.float32))
    assert error.value.value == (1, 2)
    with pytest.raises(UsageError) as error:
        dedupe_texts(["a", "b"], ids=["x"])
    assert error.value.params == ("ids",)
    with pytest.raises(DataError) as error:
        dedupe_texts([])
    assert error.value.params == ("texts",)


def test_texts_of_a_template_stay_apart_by_their_content():
    texts = [f"The {colour} door is open" for colour in ("red", "blue", "green", "white")] + [
        "the red doors is open"
    ]
    vectors = np.ones((5, 4), dtype=np.float32)
    found = dedupe_texts(texts, embeddings=vectors)
    assert (len(found.kept), found.guards.templated) == (4, 5)
    assert found.guards.names == ("numbers", "negation", "names", "order", "content")
    assert guarantee(found).holds
    assert len(found.rethreshold(0.5).kept) == 4
    named = dedupe_texts(texts, embeddings=vectors, options=DedupeOptions(guards=("numbers",)))
    assert (len(named.kept), named.guards.templated) == (1, 0)
    other = ["The red door is open", "The blue door is open", "who knows"]
    assert len(dedupe_texts(other, embeddings=vectors[:3]).kept) == 1, (
        "two such texts may be two ways to say it"
    )


def test_a_pickled_result_has_its_guards():
    texts = ["Windows 10 manual", "Windows 11 manual", "windows manual", "Windows manual"]
    found = dedupe_texts(texts, options=DedupeOptions(threshold=0.5))
    again = pickle.loads(pickle.dumps(found))
    assert found.threshold == 0.5 == again.threshold and found.guards.names
    assert told(again) == told(found)
    assert told(again.rethreshold(0.9)) == told(found.rethreshold(0.9))


def test_a_clean_copy_stays_for_a_padded_one():
    texts = [
        "reset my password \u200b\u200b",
        "reset my password",
        "Zoe\u0301 works here",
        "Zo\u00e9 works here!",
    ]
    found = dedupe_texts(texts, embeddings=np.repeat(np.eye(2, dtype=np.float32), 2, axis=0))
    assert found.kept.tolist() == [1, 3]
