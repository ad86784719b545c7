"""Similarity of hits' answers to choices, by any comparison of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from textkin.base.first_seen_numbers import enumerated
from textkin.data.protocols import Scorer
from textkin.text.baselines.lucene_parts import counted, numbered
from textkin.vectors.index.closest_pairs import can_mine
from textkin.vectors.index.exact_search import place

Hits = NDArray[np.int64]
Compare = Callable[[Hits, Sequence[str]], NDArray[np.float32]]
"""Maps hit numbers and choices to their scores, shape [hits, choices]."""


def by_lucene(answers: Sequence[str]) -> Compare:
    """Compare with Lucene, each answer in its own index searched with the choices; compiled."""
    from textkin.models.choosers.answer_loops import AnswerWords, answer_scores

    known = counted(answers)
    table = known.roots
    ready = AnswerWords(
        table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data, known.norms
    )

    def compare(hits: Hits, choices: Sequence[str]) -> NDArray[np.float32]:
        words, ends, asked = numbered(choices)
        columns = np.array([known.numbers.get(word, -1) for word in words], dtype=np.int32)
        scores = np.zeros((len(hits), len(choices)), dtype=np.float32)
        held = np.zeros(table.shape[1], dtype=np.float32)
        answer_scores(ready, hits, ends, columns[asked], held, scores)
        return scores

    return compare


def by_scorer(
    scorer: Scorer, answers: Sequence[str], *, hits: Sequence[Hits], choices: Sequence[Sequence[str]]
) -> Compare:
    """Compare choices and answers with a scorer.

    Args:
        scorer: any scorer; an encoder encodes each text once.
        answers: all answers.
        hits: the hits that will be needed, so that no others are encoded.
        choices: the choices that will be needed.
    """
    if not can_mine(scorer):
        return _pair_by_pair(scorer, answers)
    used = np.unique(np.concatenate([*hits, np.empty(0, dtype=np.int64)]))
    rows = {text: row for row, text in enumerate(dict.fromkeys(one for each in choices for one in each))}
    space = place(scorer, list(rows), [answers[number] for number in used])

    def compare(hits: Hits, choices: Sequence[str]) -> NDArray[np.float32]:
        asked = np.array([rows[choice] for choice in choices], dtype=np.int64)
        found = np.searchsorted(used, hits)
        scores = space.scores(np.tile(asked, len(hits)), np.repeat(found, len(asked)))
        return scores.reshape(len(hits), len(choices))

    return compare


def _pair_by_pair(scorer: Scorer, answers: Sequence[str]) -> Compare:
    def compare(hits: Hits, choices: Sequence[str]) -> NDArray[np.float32]:
        pairs = [(choice, answers[number]) for number in hits for choice in choices]
        if not pairs:
            return np.empty((0, len(choices)), dtype=np.float32)
        rows, different = enumerated(pairs)
        scores = np.asarray(scorer.score(different), dtype=np.float32)
        return scores[rows].reshape(len(hits), len(choices))

    return compare
