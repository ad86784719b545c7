"""Rankings of queries in a collection, with hit probabilities if fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError, inapplicable, invalid
from textkin.collection.calibration.fitted_search import FIT, FittedSearch, fitted_of
from textkin.collection.calibration.staleness import growth
from textkin.collection.collection_model import CollectionModel
from textkin.collection.search.options import LEAST_DEPTH, SearchOptions
from textkin.collection.search.rank_fusion import VECTORS, WORDS, Fused, ScoreParts, run_of
from textkin.collection.search.reranker import Reranker
from textkin.collection.store.collection_store import CollectionStore
from textkin.data.entry_records import EntryWindows, Window
from textkin.data.records import Hit, Run
from textkin.measures.decisions.reciprocal_ranks import ReciprocalRanks
from textkin.text.baselines.bm25_parameters import BM25, Bm25Parameters


class Unmatched(StrEnum):
    """The reason why a query's words found no entry."""

    NO_WORDS = "no words"
    UNKNOWN = "unknown words"
    FILTERED = "filtered"

    @property
    def in_words(self) -> str:
        """The same as a sentence."""
        return {
            Unmatched.NO_WORDS: "the query has no words to search for, only signs or stop words",
            Unmatched.UNKNOWN: "no entry has any of the query's words",
            Unmatched.FILTERED: "no entry behind the filter has any of the query's words",
        }[self]


def unmatched(store: CollectionStore, query: str) -> Unmatched | None:
    """The reason why a query found nothing by words; None in an empty collection.

    Raises:
        DataError: the collection is damaged.
    """
    if not len(store):
        return None
    holders = store.holders(query)
    if not holders:
        return Unmatched.NO_WORDS
    return Unmatched.FILTERED if any(holders) else Unmatched.UNKNOWN


_DEPTH = 2  # the fused rankings' depth, as a multiple of k
_NONE = np.empty((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of a query.

    Attributes:
        hits: best first.
        probabilities: the probability that each hit is relevant, None if unknown. Same length.
        parts: the scores that each hit's own is made of. Same length.
        answered: the probability that any entry found is relevant.
        unmatched: the reason why words found nothing; None if they found something or weren't used.
    """

    hits: tuple[Hit, ...]
    probabilities: tuple[float | None, ...]
    parts: tuple[ScoreParts, ...]
    answered: float | None = None
    unmatched: Unmatched | None = None

    def at_least(self, probability: float) -> Ranking:
        """The ranking without hits of a lower probability."""
        known = enumerate(self.probabilities)
        kept = [place for place, told in known if told is not None and told >= probability]
        return replace(
            self,
            hits=tuple(self.hits[place] for place in kept),
            probabilities=tuple(self.probabilities[place] for place in kept),
            parts=tuple(self.parts[place] for place in kept),
        )


class CollectionSearch:
    """A collection's search method: its fit and its reranker, looked up once.

    Args:
        store: the collection.
        model: the collection's model.
        options: the search options.
        reranker: ``options.rerank``, if it is open already.
        about: further remarks on the ranking, after a semicolon.

    Attributes:
        mode: the search mode: words, vectors, or both.
        min_score: drop hits with a lower cosine.
        min_probability: drop hits with a lower probability.
        ranked_by: the ranking method, and the validity of its probabilities, in words.
        growth: the change since weights or probabilities were fitted, in words; "" if small.

    Raises:
        UsageError: the options don't go together, or need probabilities that were never fitted.
        ModelError: there is no such reranker, or the fit is for another model.
    """

    def __init__(
        self,
        store: CollectionStore,
        model: CollectionModel,
        options: SearchOptions,
        *,
        reranker: Reranker | None = None,
        about: str = "",
    ) -> None:
        options.check()
        if reranker is None and options.rerank is not None:
            reranker = Reranker(options.rerank)
        self._store, self._model, self._options, self.reranker = store, model, options, reranker
        self._bm25 = Bm25Parameters.parsed(options.bm25)
        self._asked: tuple[tuple[str, ...], Floats32] | None = None
        self._weights: FittedSearch | None = None
        self._told: FittedSearch | None = None
        if options.mode == "hybrid":
            self._told = fitted_of(store, reranker)
            self._weights = self._told if reranker is None else self._told or fitted_of(store)
            if self._weights is not None and self._bm25 != BM25:
                raise inapplicable(
                    "bm25",
                    to="this collection in the mode hybrid: its weights were fitted with BM25's defaults",
                    fix="leave it out, or give `mode=words`",
                )
            if self._told is not None and not self._is_told(self._told):
                self._told = None
        self._require_probabilities()
        self.mode, self.min_score = options.mode, options.min_score
        self.min_probability = options.min_probability
        self.ranked_by = self._in_words() + about + self._fitted_in_words()
        fitted = self._told or self._weights
        self.growth = "" if fitted is None else growth(store, entries=fitted.entries, change=fitted.change)

    def rank(self, queries: Sequence[str]) -> list[Ranking]:
        """The ranking of each query: ids, scores and probabilities only."""
        options, store = self._options, self._store
        if options.mode == "hybrid":
            return self._hybrid(queries)
        if options.mode == "words":
            found = store.words(queries, self._depth, where=options.where, bm25=self._bm25)
            why = self._unmatched(queries, [not hits for hits in found])
        else:
            vectors = self._encoded(queries)
            found = store.nearest(vectors, self._depth, where=options.where, probe=options.probe)
            found = [self._above(hits) for hits in found]
            why = [None] * len(found)
        scores = [{hit.doc_id: hit.score for hit in hits} for hits in found]
        found = [one[: options.k] for one in self._reordered(queries, found)]
        part = "bm25" if options.mode == "words" else "cosine"
        return [
            Ranking(
                tuple(one),
                (None,) * len(one),
                tuple(
                    ScoreParts(
                        **{part: own[hit.doc_id]}, reranker=None if self.reranker is None else hit.score
                    )
                    for hit in one
                ),
                unmatched=told,
            )
            for one, told, own in zip(found, why, scores, strict=True)
        ]

    def _above(self, hits: list[Hit]) -> list[Hit]:
        """The hits with at least the minimum cosine; scores are single precision."""
        least = self._options.min_score
        return hits if least is None else [hit for hit in hits if hit.score >= np.float32(least)]

    def _unmatched(self, queries: Sequence[str], nothing: Sequence[bool]) -> list[Unmatched | None]:
        """Reasons why words found nothing for some of the queries."""
        return [
            unmatched(self._store, query) if none else None
            for query, none in zip(queries, nothing, strict=True)
        ]

    @property
    def _depth(self) -> int:
        """The search depth per query."""
        return self._options.k if self.reranker is None else self._options.rerank_depth

    def windows(self, queries: Sequence[str], rankings: Sequence[Ranking]) -> list[list[Window | None]]:
        """The window of each hit that is most similar to its query; see :class:`EntryHit`.

        Call this in the transaction of the ranking.
        """
        if not self._model.window or self._options.mode == "words":
            return [[None] * len(one.hits) for one in rankings]
        there = self._store.windows([hit.doc_id for one in rankings for hit in one.hits])
        vectors = self._encoded(queries)
        return [
            [best_window(there[hit.doc_id], vector) for hit in one.hits]
            for one, vector in zip(rankings, vectors, strict=True)
        ]

    def _encoded(self, queries: Sequence[str]) -> Floats32:
        """The vectors of queries, computed once for the ranking and the windows."""
        asked = tuple(queries)
        if self._asked is None or self._asked[0] != asked:
            self._asked = asked, encoded(self._model, queries)
        return self._asked[1]

    def _hybrid(self, queries: Sequence[str]) -> list[Ranking]:
        options = self._options
        depth = max(_DEPTH * self._depth, LEAST_DEPTH)
        if self._weights is not None and self._depth <= self._weights.relevance.depth:
            depth = self._weights.relevance.depth
        asked = {str(number): query for number, query in enumerate(queries)}
        where, probe = options.where, options.probe
        vectors = self._encoded(queries)
        runs = both_runs(self._store, vectors, asked, depth, where=where, probe=probe, bm25=self._bm25)
        by = ReciprocalRanks(2) if self._weights is None else self._weights.combination
        fused = Fused.of(asked, runs, by)
        if self.reranker is not None:
            ordered = self._reordered(queries, fused.hits(self._depth))
            by_reranker = run_of(list(asked), ordered, self.reranker.name)
            fused = fused.reranked(by_reranker, None if self._weights is None else self._weights.reranking)
        rows = fused.rows(options.k)
        found = fused.hits_at(rows)
        if self._told is None:
            told: list[_Probable] = [((None,) * len(hits), None) for hits in found]
        else:
            told = _told(self._told, fused, found)
        rankings = [
            Ranking(tuple(hits), probable, tuple(parts), answered)
            for hits, (probable, answered), parts in zip(found, told, fused.parts_at(rows), strict=True)
        ]
        if (least := options.min_probability) is not None:
            rankings = [one.at_least(least) for one in rankings]
        why = self._unmatched(queries, [not count for count in np.diff(runs[0].offsets).tolist()])
        return [replace(one, unmatched=told) for one, told in zip(rankings, why, strict=True)]

    def _reordered(self, queries: Sequence[str], rankings: list[list[Hit]]) -> list[list[Hit]]:
        if self.reranker is None:
            return rankings
        vectors = None if self._options.mode == "words" else self._encoded(queries)
        texts = read_of_hits(self._store, rankings, vectors if self._model.window else None)
        return self.reranker.order(queries, rankings, texts)

    def _is_told(self, fitted: FittedSearch) -> bool:
        """True if the fitted probabilities apply to this search."""
        if self.reranker is not None:
            return fitted.reranked == self._options.rerank_depth
        return self._depth <= fitted.relevance.depth

    def _require_probabilities(self) -> None:
        options = self._options
        if options.min_probability is None:
            return
        if self._told is None:
            by = "" if self.reranker is None else f" of {options.rerank_depth:,} hits reranked by this model"
            raise UsageError(
                f"no probabilities{by} were fitted for this collection", fix=FIT, params=("min_probability",)
            )
        if options.k > (fitted := self._told.relevance.k):
            raise invalid(
                "k",
                options.k,
                expected=f"at most {fitted}, for which probabilities were fitted",
                fix=f"or fit them again: `calibrate()` with `k={options.k}`",
            )

    def _in_words(self) -> str:
        options = self._options
        if options.mode == "hybrid":
            how = (
                "fused by reciprocal ranks"
                if self._weights is None
                else f"fused by fitted weights ({self._weights.in_words})"
            )
            base = f"by words and vectors, {how}"
        else:
            base = f"by words (BM25{self._bm25.suffix})" if options.mode == "words" else "by vectors (cosine)"
        if self.reranker is None:
            return base
        reranked = f"{base}; the first {options.rerank_depth:,} reranked by {self.reranker.name}"
        if options.mode != "hybrid" or self._weights is None or self._weights.reranking is None:
            return reranked
        return f"{reranked}, by fitted weights ({self._weights.reranking_in_words})"

    def _fitted_in_words(self) -> str:
        """The validity of the probabilities, in words; "" without."""
        if self._told is None:
            return ""
        filtered = "" if self._options.where is None else ", without the filter, behind which they may be off"
        return f"; probabilities fitted at {self._told.entries:,} entries{filtered}"


def encoded(model: CollectionModel, queries: Sequence[str]) -> Floats32:
    """The vectors of queries. Shape [queries, dim]."""
    return np.asarray(model.encode_queries(queries), dtype=np.float32) if len(queries) else _NONE


def both_runs(
    store: CollectionStore,
    vectors: Floats32,
    queries: Mapping[str, str],
    depth: int,
    *,
    where: str | None = None,
    probe: int | None = None,
    bm25: Bm25Parameters = BM25,
) -> tuple[Run, Run]:
    """The word and vector rankings of queries, by id; their vectors are given.

    If more than ``depth`` entries tie at the last word score, ids would decide which are listed. The entries
    among them with near vectors are listed, too.
    """
    ids, texts = list(queries), list(queries.values())
    by_words = store.words(texts, depth + 1, where=where, bm25=bm25)
    by_vectors = store.nearest(vectors, depth, where=where, probe=probe)
    for place, (found, near) in enumerate(zip(by_words, by_vectors, strict=True)):
        if len(found) > depth:
            last, listed = found[depth - 1].score, {hit.doc_id for hit in found[:depth]}
            others = [hit.doc_id for hit in near if hit.doc_id not in listed]
            tied = found[depth].score == last and others
            more = store.words([texts[place]], len(others), among=others, bm25=bm25)[0] if tied else ()
            by_words[place] = [*found[:depth], *(hit for hit in more if hit.score == last)]
    return run_of(ids, by_words, WORDS), run_of(ids, by_vectors, VECTORS)


def best_window(entry: EntryWindows, vector: Floats32) -> Window | None:
    """The window of an entry most similar to a vector: the first of several, None for one."""
    if not entry.spans:
        return None
    own, asked = entry.vectors.astype(np.float64), vector.astype(np.float64)
    lengths = np.sqrt(np.vecdot(own, own))
    cosines = own @ asked / np.where(lengths > 0, lengths, 1)
    return entry.spans[int(np.argmax(cosines))]


def read_of_hits(
    store: CollectionStore, rankings: Sequence[Sequence[Hit]], vectors: Floats32 | None
) -> list[list[str]]:
    """The texts a reranker reads for each query's hits: the matching window, or the whole text.

    Args:
        store: the collection.
        rankings: the ranking of each query.
        vectors: the vectors of the queries; None to read whole texts. Shape [queries, dim].
    """
    names = list(dict.fromkeys(hit.doc_id for hits in rankings for hit in hits))
    texts = {one.entry_id: one.text for one in store.rows(names)}
    if vectors is None:
        return [[texts[hit.doc_id] for hit in hits] for hits in rankings]
    there = store.windows(names)
    found = []
    for hits, vector in zip(rankings, vectors, strict=True):
        spans = [best_window(there[hit.doc_id], vector) for hit in hits]
        own = [texts[hit.doc_id] for hit in hits]
        found.append(
            [text if span is None else text[slice(*span)] for text, span in zip(own, spans, strict=True)]
        )
    return found


_Probable = tuple[tuple[float | None, ...], float | None]
"""The probability of each hit of a query, and that of any."""


def _told(fitted: FittedSearch, fused: Fused, found: Sequence[Sequence[Hit]]) -> list[_Probable]:
    """The probabilities of hits; beyond the fitted depth they have none."""
    model, k = fitted.relevance.model, fitted.relevance.k
    hits = fused.features(fused.rows(k))
    of_hits = model.of_hits(hits)
    known = np.unique(hits.questions).tolist()
    names = [fused.pool.query_ids[question] for question in known]
    answered = dict(zip(names, model.of_queries(of_hits, hits.questions).tolist(), strict=True))
    bounds = np.searchsorted(hits.questions, [*known, len(fused.pool.query_ids)]).tolist()
    parts = {
        name: of_hits[start:end].tolist()
        for name, start, end in zip(names, bounds[:-1], bounds[1:], strict=True)
    }
    probable: list[_Probable] = []
    for query, own in zip(fused.queries, found, strict=True):
        told = [*parts.get(query, []), *([None] * len(own))][: len(own)]
        probable.append((tuple(told), answered.get(query, 0.0)))
    return probable
