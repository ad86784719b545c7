"""The loops that leave out what can't be among the best, beside a sum over everything."""

import numpy as np
import pytest

from textkin.index.postings import PostingsBuilder, Statistics, keys_of
from textkin.scorers.analysers import analyser_of

COMMON = ["the", "of", "is", "what"]


def made(documents, seed):
    """Texts of common words and of words of all frequencies; many of them are equal."""
    draws = np.random.default_rng(seed)
    texts = []
    for _ in range(documents):
        words = [f"w{number}" for number in np.minimum(draws.zipf(1.4, size=draws.integers(0, 8)), 400)]
        texts.append(" ".join([*draws.choice(COMMON, draws.integers(0, 9)).tolist(), *words]))
    return texts, draws


def by_definition(texts, query, statistics, depth, allowed):
    """All scores, one document after another, the words of the largest weights first."""
    weights, (flat, slope) = statistics.weights(), statistics.held_back()
    order = sorted(range(len(query)), key=lambda place: -weights[place])
    found = []
    for number, text in enumerate(texts):
        words, score = text.split(), 0.0
        for place in order:
            often = words.count(query[place])
            if often:
                score += weights[place] * (often / (often + (flat + slope * len(words))))
        if score > 0 and allowed[number]:
            found.append((-np.float32(score), number))
    return sorted(found)[:depth]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("depth", [1, 10, 60])
def test_what_is_left_out_is_not_among_the_best(seed, depth):
    texts, draws = made(1500, seed)
    builder = PostingsBuilder(analyser_of("plain"))
    builder.add(texts)
    postings = builder.built(np.arange(len(texts)))
    for turn in range(8):
        rare = [f"w{number}" for number in draws.integers(1, 400, size=draws.integers(0, 5))]
        query = draws.permutation([*rare, *draws.choice(COMMON, 3), "nowhere"]).tolist()
        allowed = np.ones(len(texts), dtype=bool) if turn % 2 else draws.random(len(texts)) < 0.4
        keys = keys_of(query)
        statistics = Statistics(len(texts), int(postings.lengths.sum()), postings.holders(keys, None))
        room = postings.room()
        documents, scores = postings.best(keys, statistics, depth, room, allowed)
        expected = by_definition(texts, query, statistics, depth, allowed)
        assert documents.tolist() == [number for _, number in expected]
        assert scores.tolist() == [-float(score) for score, _ in expected]
        assert not room.worth.any()
