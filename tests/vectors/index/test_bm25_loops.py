"""The pruned loops for the best documents, compared with a full sum."""

import numpy as np
import pytest

from textkin.text.baselines.analysers import analyser_of
from textkin.text.baselines.bm25_parameters import BM25, Bm25Parameters
from textkin.vectors.index.bm25_postings import PostingsBuilder, Statistics, WordQueries, room_for

NOBODY = np.empty(0, dtype=np.int64)
COMMON = ["the", "of", "is", "what"]


def made(documents, seed):
    """Texts of common words and of words of all frequencies; many of them are equal."""
    draws = np.random.default_rng(seed)
    texts = []
    for _ in range(documents):
        words = [f"w{number}" for number in np.minimum(draws.zipf(1.4, size=draws.integers(0, 8)), 400)]
        texts.append(" ".join([*draws.choice(COMMON, draws.integers(0, 9)).tolist(), *words]))
    return texts, draws


def by_definition(documents, query, weights, by, allowed):
    """All scores, one document after another, the words of the largest weights first."""
    order = sorted(range(len(query)), key=lambda place: -weights[place])
    found = []
    for number, words in enumerate(documents):
        score = 0.0
        for place in order:
            often = words.count(query[place])
            if often:
                norm = by.flat + by.slope * len(words)
                saturated = (often + by.lower * norm) / (often + (by.k1 + by.lower) * norm)
                score += weights[place] * (by.lift + (1 - by.lift) * saturated)
        if score > 0 and allowed[number]:
            found.append((-np.float32(score), number))
    return sorted(found)


VARIANTS = [
    BM25,
    Bm25Parameters(k1=0.9, b=0.4, variant="robertson"),
    Bm25Parameters(k1=0, b=0),
    Bm25Parameters(b=0, variant="atire"),
    Bm25Parameters(b=1, variant="plus"),
    Bm25Parameters(k1=3, variant="l"),
]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_left_out_is_not_among_the_best(seed):
    bm25 = VARIANTS[seed % len(VARIANTS)]
    texts, draws = made(1500, seed)
    words_of = [text.split() for text in texts]
    builder = PostingsBuilder(analyser_of("plain"))
    builder.add(texts)
    postings = builder.built(np.arange(len(texts)))
    room = room_for(len(texts))
    for turn in range(8):
        rare = [f"w{number}" for number in draws.integers(1, 400, size=draws.integers(0, 5))]
        query = draws.permutation([*rare, *draws.choice(COMMON, 3), "nowhere"]).tolist()
        allowed = np.ones(len(texts), dtype=bool) if turn % 2 else draws.random(len(texts)) < 0.4
        asked = WordQueries.of([query, [], query])
        terms = postings.terms(asked.keys)
        words = int(postings.lengths.sum() * (1 + 0.001 * turn))  # texts become longer, ceilings stay or not
        statistics = Statistics(len(texts), words, postings.holders(terms, NOBODY), bm25)
        weights = statistics.weights()[asked.places[: len(query)]]
        expected = by_definition(words_of, query, weights, statistics.saturation(), allowed)
        for depth in (1, 10, 60):
            documents, scores = postings.best(asked, terms, statistics, depth, room, allowed)
            best = expected[:depth]
            rest = [-1] * (depth - len(best))
            assert documents[0].tolist() == [number for _, number in best] + rest
            assert scores[0].tolist() == [-float(score) for score, _ in best] + [-np.inf] * len(rest)
            assert documents[2].tolist() == documents[0].tolist()
            assert set(documents[1]) == {-1}
            assert not room.worth.any()
