"""Loops over inverted lists: term at a time, with exact scores."""

from typing import NamedTuple

import numpy as np

from textkin.base.arrays import Floats, Floats32, Ints, Ints32
from textkin.base.numba_cache import compiled


class WordLists(NamedTuple):
    """Inverted lists.

    Attributes:
        offsets: word t is in the documents ``documents[offsets[t]:offsets[t + 1]]``. Shape [words + 1].
        documents: increasing within a word. Shape [postings].
        roots: square root of the number of occurrences. Shape [postings].
        norms: norms of the documents. Shape [documents].
    """

    offsets: Ints
    documents: Ints32
    roots: Floats32
    norms: Floats32


class Asked(NamedTuple):
    """Queries as weighted clauses.

    Attributes:
        offsets: query i has the clauses ``offsets[i]:offsets[i + 1]``. Shape [queries + 1].
        terms: word number of each clause, -1 if no document contains it. Shape [clauses].
        weights: weights of the clauses. Shape [clauses].
    """

    offsets: Ints
    terms: Ints32
    weights: Floats32


class Sums(NamedTuple):
    """Scores of documents for a query, all zero between queries.

    Attributes:
        worth: shape [documents].
        matched: number of clauses that each document matches. Shape [documents].
        found: numbers of matching documents, at the front. Shape [documents].
    """

    worth: Floats
    matched: Ints32
    found: Ints32


class Field(NamedTuple):
    """One field of documents and queries."""

    lists: WordLists
    asked: Asked
    sums: Sums


@compiled
def best(
    lists: WordLists,
    asked: Asked,
    sums: Sums,
    first: int,
    documents: Ints,
    scores: Floats32,
) -> None:
    """Write the best documents of some queries, best first; ties by lowest number.

    Args:
        lists: the documents.
        asked: the queries.
        sums: buffers.
        first: number of the first query.
        documents: output, initially -1; row r is for query ``first + r``. Shape [rows, depth].
        scores: output, initially minus infinity. Shape [rows, depth].
    """
    for row in range(documents.shape[0]):
        count = _gather(lists, asked, sums, first + row)
        kept = 0
        for place in range(count):
            document = sums.found[place]
            score = _score(asked, sums, first + row, document)
            kept = keep(documents[row], scores[row], kept, document, score)
        sort(documents[row], scores[row], kept)
        _clear(sums, count)


@compiled
def every(
    lists: WordLists,
    asked: Asked,
    sums: Sums,
    documents: Ints32,
    scores: Floats32,
    ends: Ints,
) -> None:
    """Write all matching documents with their scores.

    Args:
        lists: the documents.
        asked: the queries.
        sums: buffers.
        documents: output with space for all postings of all clauses; by query, in no order.
        scores: output of the same size.
        ends: end of each query's documents, after a 0. Shape [queries + 1].
    """
    end = 0
    for query in range(len(ends) - 1):
        count = _gather(lists, asked, sums, query)
        for place in range(count):
            documents[end] = sums.found[place]
            scores[end] = _score(asked, sums, query, sums.found[place])
            end += 1
        ends[query + 1] = end
        _clear(sums, count)


@compiled
def best_of_two(first: Field, second: Field, documents: Ints, scores: Floats32) -> None:
    """Write the best document of queries over two fields; ties by lowest number.

    Args:
        first: documents and queries by the first field.
        second: the same documents and queries by the second field.
        documents: output, initially -1. Shape [queries].
        scores: output, initially zero. Shape [queries].
    """
    for query in range(len(scores)):
        counts = (
            _gather(first.lists, first.asked, first.sums, query),
            _gather(second.lists, second.asked, second.sums, query),
        )
        both = _has_clauses(first.asked, query) and _has_clauses(second.asked, query)
        for place in range(counts[0] + counts[1]):
            document = first.sums.found[place] if place < counts[0] else second.sums.found[place - counts[0]]
            here, there = first.sums.matched[document] > 0, second.sums.matched[document] > 0
            score = np.float32(0)
            if here:
                score += _score(first.asked, first.sums, query, document)
            if there:
                score += _score(second.asked, second.sums, query, document)
            if both and not (here and there):
                score *= np.float32(0.5)
            if documents[query] < 0 or _worse(scores[query], documents[query], score, document):
                documents[query], scores[query] = document, score
        _clear(first.sums, counts[0])
        _clear(second.sums, counts[1])


@compiled
def _has_clauses(asked: Asked, query: int) -> bool:
    return bool(asked.offsets[query] < asked.offsets[query + 1])


@compiled
def _gather(lists: WordLists, asked: Asked, sums: Sums, query: int) -> int:
    """Sum the clauses of a query; return the number of matching documents."""
    count = 0
    for clause in range(asked.offsets[query], asked.offsets[query + 1]):
        term, weight = asked.terms[clause], asked.weights[clause]
        if term < 0:
            continue
        for place in range(lists.offsets[term], lists.offsets[term + 1]):
            document = lists.documents[place]
            if sums.matched[document] == 0:
                sums.found[count] = document
                count += 1
            sums.matched[document] += 1
            sums.worth[document] += np.float64((lists.roots[place] * weight) * lists.norms[document])
    return count


@compiled
def _score(asked: Asked, sums: Sums, query: int, document: int) -> np.float32:
    clauses = asked.offsets[query + 1] - asked.offsets[query]
    coord = np.float32(sums.matched[document]) / np.float32(clauses)
    return np.float32(np.float32(sums.worth[document]) * coord)


@compiled
def _clear(sums: Sums, count: int) -> None:
    for place in range(count):
        sums.worth[sums.found[place]] = 0
        sums.matched[sums.found[place]] = 0


@compiled
def keep(documents: Ints, scores: Floats32, kept: int, document: int, score: np.float32) -> int:
    """Insert a document into a heap with the worst on top, if it is better; return the heap's size."""
    depth = len(scores)
    if kept < depth:
        place = kept
        while place > 0 and _worse(score, document, scores[(place - 1) // 2], documents[(place - 1) // 2]):
            scores[place], documents[place] = scores[(place - 1) // 2], documents[(place - 1) // 2]
            place = (place - 1) // 2
        scores[place], documents[place] = score, document
        return kept + 1
    if _worse(scores[0], documents[0], score, document):
        _sink(documents, scores, kept, document, score)
    return kept


@compiled
def _sink(documents: Ints, scores: Floats32, kept: int, document: int, score: np.float32) -> None:
    """Replace the top of a heap of ``kept`` documents, and sift down."""
    place = 0
    while 2 * place + 1 < kept:
        below = 2 * place + 1
        if below + 1 < kept and _worse(
            scores[below + 1], documents[below + 1], scores[below], documents[below]
        ):
            below += 1
        if not _worse(scores[below], documents[below], score, document):
            break
        scores[place], documents[place] = scores[below], documents[below]
        place = below
    scores[place], documents[place] = score, document


@compiled
def sort(documents: Ints, scores: Floats32, kept: int) -> None:
    """Sort a heap in place, best first."""
    for last in range(kept - 1, 0, -1):
        worst_score, worst = scores[0], documents[0]
        _sink(documents, scores, last, documents[last], scores[last])
        scores[last], documents[last] = worst_score, worst


@compiled
def _worse(score: np.float32, document: int, other_score: np.float32, other: int) -> bool:
    return bool(score < other_score or (score == other_score and document > other))
