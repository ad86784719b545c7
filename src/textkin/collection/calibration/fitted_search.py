"""Ranking weights and hit probabilities learnt from judgements.

They are stored in the collection as a fact, so they move with the folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textkin.base.errors import ModelError, said
from textkin.base.files import sha256_of_json
from textkin.collection.noted_model import MODEL
from textkin.collection.search.rank_fusion import RERANKER, VECTORS, WORDS
from textkin.collection.search.reranker import Reranker
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.facts import WINDOWS
from textkin.measures.decisions.combination import Combination, combination_from_dict, weights_of
from textkin.measures.decisions.relevance import SavedRelevance
from textkin.text.baselines.analysers import ANALYSIS
from textkin.text.baselines.bm25_parameters import BM25

FITTED, FITTED_RERANKED = "calibration", "calibration with a reranker"
"""The facts that hold a collection's fitted parameters."""

FORMAT = 1
FIT = "calibrate the collection on judged queries: `calibrate()`"


@dataclass(frozen=True, slots=True)
class FittedSearch:
    """The fitted parameters of a hybrid search in a collection.

    Attributes:
        combination: combines the word and vector scores into one number.
        reranking: combines the same and a reranker's scores, for the hits that it saw; None without one.
        relevance: the probability that a hit is relevant, and that any hit is.
        entries: the number of entries at that time.
        queries: the number of judged queries used for fitting.
        rankings: nDCG@10 of each ranking, with its 95 % interval.
        reranked: the number of hits per query that a reranker saw; 0 without one.
        change: the number of the collection's last change at that time.
    """

    combination: Combination
    reranking: Combination | None
    relevance: SavedRelevance
    entries: int
    queries: int
    rankings: Mapping[str, tuple[float, float, float]]
    reranked: int = 0
    change: int = 0

    @property
    def in_words(self) -> str:
        """The weight of each ranking."""
        return _weights_in_words(self.combination, WORDS, VECTORS)

    @property
    def reranking_in_words(self) -> str:
        """The weight of each ranking among the hits that a reranker saw; "" without one."""
        return "" if self.reranking is None else _weights_in_words(self.reranking, WORDS, VECTORS, RERANKER)

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values."""
        return {
            "format": FORMAT,
            "combination": self.combination.to_dict(),
            "reranking": None if self.reranking is None else self.reranking.to_dict(),
            "relevance": self.relevance.to_dict(),
            "entries": self.entries,
            "queries": self.queries,
            "rankings": {name: list(ends) for name, ends in self.rankings.items()},
            "reranked": self.reranked,
            "change": self.change,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> FittedSearch:
        """Parse the result of :meth:`to_dict`.

        Raises:
            ModelError: a field is missing or invalid.
        """
        try:
            if values["format"] != FORMAT:
                raise ModelError(
                    f"the collection's calibration has format {values['format']!r}, expected {FORMAT}",
                    fix=FIT,
                )
            reranking = values.get("reranking")
            return cls(
                combination_from_dict(values["combination"], members=2),
                None if reranking is None else combination_from_dict(reranking, members=3),
                SavedRelevance.from_dict(values["relevance"]),
                int(values["entries"]),
                int(values["queries"]),
                {
                    str(name): (float(value), float(low), float(high))
                    for name, (value, low, high) in values["rankings"].items()
                },
                int(values["reranked"]),
                int(values["change"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise ModelError(f"the collection's calibration can't be read: {said(error)}", fix=FIT) from error


def _weights_in_words(combination: Combination, *names: str) -> str:
    own = weights_of(combination)
    return ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, own, strict=True))


def systems_of(store: CollectionStore, reranker: Reranker | None) -> dict[str, str]:
    """The hash of everything that each ranking's scores depend on, except the entries."""
    words = {"analyser": store.fact("analyser"), "analysis": ANALYSIS, **BM25.to_dict()}
    found = {WORDS: sha256_of_json(words), VECTORS: sha256_of_json({"model": _identity(store)})}
    if reranker is not None:
        read = {"reranker": reranker.sha256, "reads": WINDOWS}
        found[RERANKER] = sha256_of_json(read) if store.fact(WINDOWS) else reranker.sha256
    return found


def fitted_of(store: CollectionStore, reranker: Reranker | None = None) -> FittedSearch | None:
    """The parameters fitted for searches of a collection; None without.

    Args:
        store: the collection.
        reranker: the reranker of the hits; parameters fitted with another one don't apply.

    Raises:
        ModelError: it was fitted for another model or analyser, or can't be read.
    """
    values = store.fact(FITTED if reranker is None else FITTED_RERANKED)
    if values is None:
        return None
    found = FittedSearch.from_dict(values)
    known, now = found.relevance.systems, systems_of(store, reranker)
    if reranker is not None and known.get(RERANKER) != now[RERANKER]:
        return None
    if changed := [name for name in now if known.get(name) != now[name]]:
        what = {WORDS: "analyser", VECTORS: "model"}
        raise ModelError(
            f"the collection's calibration was fitted for another "
            f"{' and another '.join(what[name] for name in changed)} than the collection has",
            fix="calibrate the collection on judged queries again: `calibrate()`",
        )
    return found


def keep(store: CollectionStore, fitted: FittedSearch) -> None:
    """Store fitted parameters in the collection, replacing earlier ones.

    Raises:
        OutputError: another process is writing, or the disk is full.
    """
    store.note_fact(FITTED if not fitted.reranked else FITTED_RERANKED, fitted.to_dict())


def _identity(store: CollectionStore) -> str:
    """The hash of the collection's model, or the name of an object."""
    known = store.fact(MODEL) or {}
    return str(known.get("sha256") or known.get("name"))
