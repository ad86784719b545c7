"""Labels of matches: incoming texts, each with its nearest entry.

Only such labels show the quality of a verdict. Pairs selected otherwise don't: most ordinary pairs are
further apart than a text and its nearest entry, and mined ones are nearer, so thresholds and probabilities
fitted to them are wrong. The right ones come from ``textkin match`` and then ``textkin label``, which records
how it drew them. Without that record, each entry is checked to be the nearest one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.base.progress import progress
from textkin.collection.collection_model import CollectionModel
from textkin.collection.match.match_rules import BaseRate, MatchLabels
from textkin.collection.match.nearest_entries import NearestKept, first_vectors, joined_windows, text_windows
from textkin.collection.match.simulated_arrivals import base_rate_of, nearest_scores
from textkin.data.entry_records import Entry
from textkin.data.protocols import Store
from textkin.data.readers.labels import two_values
from textkin.data.records import PairSet
from textkin.data.splits.components import text_graph
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_samples import ranges_of
from textkin.measures.intervals.betting import BlindDraws, proven_count
from textkin.measures.labels.draws import DrawnLabels
from textkin.measures.labels.labelled_file import Drawing, read_drawing, record_of
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.vectors.groups.guards import STANDARD, checks
from textkin.vectors.long_texts import rescored

_MOST_OTHERS = 0.2  # pairs that may not be a text and its nearest entry
_MOST_BELOW = 0.25  # entries whose nearest entry may score less than those of all labelled texts
_MOVED = 0.005  # tolerated difference between a score and the one that a pair was drawn by
_NEAR = 0.5
_AT_ONCE = 512
_ENDLESS = 1_000_000  # so many texts to come that those that were judged are none of them
_CHAIN = "label matches of this collection: `match()` and then `label()`, each with a file as `out`"


def labels_of_pairs(
    store: Store,
    model: CollectionModel,
    data: PairSet,
    *,
    path: Path | None = None,
    base_rate: float | None = None,
    guards: Sequence[str] = STANDARD,
    seed: int = 0,
) -> MatchLabels:
    """Labels from pairs of a text and its nearest entry.

    Args:
        store: the collection.
        model: its model.
        data: the pairs. Those that ``textkin label`` drew from matches are weighted by their sampling.
        path: their file; None without a file.
        base_rate: the fraction of incoming texts that have a duplicate; None to estimate it.
        guards: the guards to apply.
        seed: the seed of the sample for the base rate.

    Raises:
        DataError: all labels are the same, a label is neither 0 nor 1, the pairs aren't matches of this
            collection, or the base rate can't be estimated.
        UsageError: there is no such guard.
    """
    checks([], guards)
    if not np.isin(np.asarray(data.labels), (0, 1)).all():
        raise DataError(
            "labels other than 0 and 1",
            path=path,
            fix=two_values(data.labels) or "give pairs that say the same or not",
        )
    if path is not None and record_of(path).is_file():
        drawing = read_drawing(path, _same(data).tolist())
        return _labels_of_drawn(store, model, data, drawing, path, base_rate=base_rate, guards=guards)
    return _labels_of_others(store, model, data, base_rate=base_rate, guards=guards, seed=seed)


def _labels_of_drawn(
    store: Store,
    model: CollectionModel,
    data: PairSet,
    drawing: Drawing,
    path: Path,
    *,
    base_rate: float | None,
    guards: Sequence[str],
) -> MatchLabels:
    """Labels of pairs drawn from matches, by score range."""
    if not drawing.matched:
        raise DataError(
            f"was drawn from {drawing.pairs}, pairs that were chosen by their score; they don't tell how a "
            "text differs from its nearest entry",
            path=path,
            fix=_CHAIN,
        )
    _refuse_strangers(store, data)
    scores = _scores(model, data, guards)
    off = np.abs(np.where(np.isfinite(scores), scores, drawing.scores) - drawing.scores)
    if (off > _MOVED).any():
        row = int(off.argmax())
        raise DataError(
            f"was matched by another model than the collection's: row {row + 1} scores "
            f"{drawing.scores[row]:.4f} there and {scores[row]:.4f} here",
            path=path,
            fix=_CHAIN,
        )
    same = _same(data)
    if drawing.drawn.sizes[-1] < drawing.drawn.pairs:  # with a threshold, only higher scores are drawn
        raise DataError(
            f"was drawn from score {drawing.drawn.scores[-1]:.4f} on, so it says nothing of the other "
            f"{drawing.drawn.pairs - drawing.drawn.sizes[-1]:,} matches",
            path=path,
            fix="label the matches without `threshold`",
        )
    drawn, weights = ranges_of(
        _thresholds(drawing.drawn), dict(zip(drawing.rows, same.tolist(), strict=True))
    )
    arrivals = Arrivals(
        scores=scores,
        right=same,
        known=same,
        clusters=_clusters(data),
        weights=np.array([weights[row] for row in drawing.rows]),
    )
    source = f"{len(data):,} matches of {drawing.drawn.pairs:,} in {drawing.pairs}"
    rate = (
        BaseRate.given(base_rate)
        if base_rate is not None
        else BaseRate(drawn.rate, f"estimated from {len(data):,} labels")
    )
    return MatchLabels(arrivals, source, tuple(guards), rate, drawn=drawn)


def _thresholds(drawn: DrawnLabels) -> list[tuple[float, int, float]]:
    """Each threshold, the number of matches that reach it, and its proven precision.

    The matches are a sample of incoming texts, so the test is that of ``textkin label`` for an infinite
    population.
    """
    found: list[tuple[float, int, float]] = []
    for score, size in zip(drawn.scores, drawn.sizes, strict=True):
        count = proven_count(BlindDraws.of(drawn.blind(size).so, whole=_ENDLESS), error=drawn.part)
        found.append((score, size, count / _ENDLESS))
    return found


def _labels_of_others(
    store: Store,
    model: CollectionModel,
    data: PairSet,
    *,
    base_rate: float | None,
    guards: Sequence[str],
    seed: int,
) -> MatchLabels:
    """Labels of pairs without a sampling record that are a text and its nearest entry."""
    scores = _scores(model, data, guards)
    nearest = _nearest_texts(store, model, data, guards)
    free = np.isfinite(scores)
    # Either text may be the incoming one.
    fits = np.array([nearest[one.a] == one.b or nearest[one.b] == one.a for one in data])
    others = int((free & ~fits).sum())
    if others > _MOST_OTHERS * free.sum():
        raise DataError(
            f"{others:,} of {int(free.sum()):,} labelled pairs are not a text and its nearest entry of the "
            "collection, so they don't tell what a match is worth",
            fix=_CHAIN,
        )
    chosen = free & fits
    known = _same(data)[chosen]
    arrivals = Arrivals(scores=scores[chosen], right=known, known=known, clusters=_clusters(data)[chosen])
    there = nearest_scores(store, model, guards=guards, seed=seed)
    below = int((there < arrivals.scores.min()).sum())
    if below > _MOST_BELOW * len(there):
        raise DataError(
            f"the labelled texts were chosen by their scores: each has a nearest entry from cosine "
            f"{arrivals.scores.min():.3f} on, and {below:,} of {len(there):,} entries have none so near",
            fix=_CHAIN,
        )
    rate = (
        BaseRate.given(base_rate)
        if base_rate is not None
        else base_rate_of(store, model, arrivals, guards=guards, seed=seed)
    )
    source = f"{len(known):,} pairs of {data.name}"
    return MatchLabels(arrivals, source, tuple(guards), rate, len(data) - len(known))


def _scores(model: CollectionModel, data: PairSet, guards: Sequence[str]) -> NDArray[np.float32]:
    """The cosine of each pair, as in matches; minus infinity if a guard blocks it. Shape [pairs]."""
    texts = list(dict.fromkeys(text for pair in data for text in (pair.a, pair.b)))
    number = {text: place for place, text in enumerate(texts)}
    windows = text_windows(model, texts)
    unit = unit_rows(first_vectors(windows))
    a, b = (np.array([number[getattr(pair, side)] for pair in data]) for side in ("a", "b"))
    whole = joined_windows(windows)
    scores = rescored(np.einsum("nd,nd->n", unit[a], unit[b]), whole, whole, a, b)
    found: NDArray[np.float32] = np.where(checks(texts, guards)(a, b), scores, -np.inf).astype(np.float32)
    return found


def _same(data: PairSet) -> NDArray[np.bool_]:
    """A mask of the pairs labelled as duplicates. Shape [pairs]."""
    found: NDArray[np.bool_] = np.asarray(data.labels) == 1
    return found


def _clusters(data: PairSet) -> NDArray[np.int64]:
    """Clusters of pairs connected by shared texts. Shape [pairs]."""
    graph = text_graph(data, quiet=True)
    return graph.components(pairs=np.ones(len(data), dtype=bool), ids=True)[graph.a]


def _refuse_strangers(store: Store, data: PairSet) -> None:
    """Check that the second texts are entries.

    Raises:
        DataError: too many aren't.
    """
    wanted = {pair.b for pair in data}
    there = set(_ids_of(store, wanted))
    missing = sum(pair.b not in there for pair in data)
    if missing > _MOST_OTHERS * len(data):
        raise DataError(
            f"the nearest texts of {missing:,} of {len(data):,} labelled matches are no entries of this "
            "collection",
            fix=_CHAIN,
        )


def _ids_of(store: Store, texts: set[str]) -> dict[str, str]:
    """The ids of the texts that are entries."""
    with store.reading():
        return {one.text: one.entry_id for one in store.entries() if one.text in texts}


def _nearest_texts(
    store: Store, model: CollectionModel, data: PairSet, guards: Sequence[str]
) -> Mapping[str, str | None]:
    """For each text of the pairs, the nearest kept entry that no guard blocks, except itself."""
    texts = list(dict.fromkeys(text for pair in data for text in (pair.a, pair.b)))
    ids = _ids_of(store, set(texts))
    entries = [Entry(ids.get(text, f"\0{place}"), text) for place, text in enumerate(texts)]
    # If guards block all near entries, no further ones are searched. One vector per text ranks entries by
    # their score; with windows, later entries may score more.
    windowed = model.parts is not None
    nearest = NearestKept(store, guards, _NEAR if windowed else np.inf, windowed=windowed)
    found: dict[str, str | None] = {}
    with progress("finding nearest entries", total=len(entries)) as shown:
        for start in range(0, len(entries), _AT_ONCE):
            part = entries[start : start + _AT_ONCE]
            with store.reading():
                options = nearest.of(part, text_windows(model, [one.text for one in part]))
            for entry, one in zip(part, options, strict=True):
                found[entry.text] = None if one.allowed is None else one.allowed.entry.text
            shown.advance(len(part))
    return found
