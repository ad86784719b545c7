"""Labels of matches: incoming texts, each with its nearest entry.

Only such labels show the quality of a verdict. Pairs selected otherwise don't: most ordinary pairs are
further apart than a text and its nearest entry, and mined ones are nearer, so thresholds and probabilities
fitted to them are wrong. The right ones come from ``textkin match`` and then ``textkin label``, which records
how it drew them. Without that record, each entry is checked to be the nearest one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.base.errors import DataError
from textkin.base.progress import progress
from textkin.collection.collection_model import CollectionModel
from textkin.collection.match import nearest_entries
from textkin.collection.match.match_labels import GIVE_RATE, BaseRate, MatchLabels
from textkin.collection.store.collection_store import CollectionStore
from textkin.data.entry_records import Entry
from textkin.data.ranking import best_first
from textkin.data.readers.labels import two_values
from textkin.data.records import Hit, PairSet
from textkin.data.splits.components import text_graph
from textkin.measures.decisions.base_rate import rate_interval
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_samples import ranges_of
from textkin.measures.intervals.betting import BlindDraws, proven_count
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.labels.draws import DrawnLabels
from textkin.measures.labels.labelled_file import Drawing, read_drawing, record_of
from textkin.vectors.groups.guards import checks
from textkin.vectors.long_texts import rescored
from textkin.vectors.similar_texts import cosines

_LOOKED_AT = 32  # entries for each text
_MORE = 4  # times as many where itself and mates are among them
_FOR_RATE = 2_000  # entries for the base rate


@dataclass(frozen=True, slots=True)
class Met:
    """An entry acting as an incoming text, and the entry that it met."""

    entry_id: str
    score: float = -np.inf
    right: bool = False
    labelled: bool = True


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A fit of matching, in which entries of the collection act as incoming texts.

    Attributes:
        store: the collection.
        model: its model.
        guards: the guards to apply.
        base_rate: the fraction of incoming texts that have a duplicate; None to estimate it.
        seed: the sampling seed.
    """

    store: CollectionStore
    model: CollectionModel
    guards: Sequence[str]
    base_rate: float | None = None
    seed: int = 0

    def rate(self, arrivals: Arrivals) -> BaseRate:
        """The given base rate, or one estimated from the similarities of entries to their neighbours.

        Args:
            arrivals: the score distributions of duplicates and of others.

        Raises:
            DataError: the estimate is at the edge of its range, or there is no entry.
        """
        if self.base_rate is not None:
            return BaseRate.given(self.base_rate)
        found = self.scores()
        if not len(found):
            raise DataError("the collection has no entry that tells the base rate", fix=GIVE_RATE)
        curve = arrivals.curve
        ends = rate_interval(curve.has_duplicate(found), before=curve.rate, seed=self.seed)
        return BaseRate.estimated(Interval(*ends, len(found)), len(found))

    def scores(self) -> Floats32:
        """Scores of sampled entries with their nearest unblocked neighbour. Shape [entries]."""
        with self.store.reading():
            ids = [one.entry_id for one in self.store.entries()]
            chosen = np.random.default_rng(self.seed).permutation(len(ids))[:_FOR_RATE]
            found = self.nearest([ids[place] for place in np.sort(chosen).tolist()], None, {})
        return np.array([one.score for one in found], dtype=np.float32)

    def nearest(
        self, ids: Sequence[str], group_of: Mapping[str, str] | None, stays: Mapping[str, str | None]
    ) -> list[Met]:
        """The nearest neighbour of each entry.

        Args:
            ids: ids of entries.
            group_of: the group of each entry that has one; None to ignore groups.
            stays: the only other entry of its group that each of them can meet.
        """
        met: list[Met] = []
        with progress("finding nearest entries", total=len(ids)) as shown:
            for start in range(0, len(ids), _AT_ONCE):
                part = self.store.rows(ids[start : start + _AT_ONCE])
                met += self._part(part, group_of, stays)
                shown.advance(len(part))
        return met

    def _part(
        self, entries: Sequence[Entry], group_of: Mapping[str, str] | None, stays: Mapping[str, str | None]
    ) -> list[Met]:
        def is_met(entry: Entry, name: str) -> bool:
            group = None if group_of is None else group_of.get(entry.entry_id)
            mate = group is not None and group_of is not None and group_of.get(name) == group
            return name != entry.entry_id and (not mate or name == stays.get(entry.entry_id))

        others = self._others(entries, is_met)
        names = list({hit.doc_id for row in others for hit in row})
        there = {one.entry_id: one for one in self.store.rows(names)}
        pairs = [(place, hit.doc_id, hit.score) for place, row in enumerate(others) for hit in row]
        passed = self._passed(entries, pairs, there)
        met: dict[int, Met] = {}
        for (place, name, score), fine in zip(pairs, passed.tolist(), strict=True):
            if fine and place not in met:
                own, labelled = entries[place].entry_id, group_of is None or name in group_of
                met[place] = Met(own, score, right=stays.get(own) == name, labelled=labelled)
        return [met.get(place, Met(entry.entry_id)) for place, entry in enumerate(entries)]

    def _others(self, entries: Sequence[Entry], is_met: Callable[[Entry, str], bool]) -> list[list[Hit]]:
        """The nearest entries that each one can meet: so many, unless the collection has fewer."""
        windows = nearest_entries.text_windows(self.model, [one.text for one in entries])
        found: list[list[Hit]] = [[] for _ in entries]
        left, k = list(range(len(entries))), _LOOKED_AT + 1
        while left:
            own = [windows[place] for place in left]
            hits = self.store.nearest(nearest_entries.first_vectors(own), k)
            full = [place for place, row in zip(left, hits, strict=True) if len(row) == k]
            if self.model.parts is not None:
                hits = [best_first(row) for row in nearest_entries.compared(self.store, own, hits)]
            for place, row in zip(left, hits, strict=True):
                found[place] = [hit for hit in row if is_met(entries[place], hit.doc_id)][:_LOOKED_AT]
            left = [place for place in full if len(found[place]) < _LOOKED_AT]
            k *= _MORE
        return found

    def _passed(
        self, entries: Sequence[Entry], pairs: Sequence[tuple[int, str, float]], there: Mapping[str, Entry]
    ) -> Bools:
        texts = [one.text for one in entries] + [one.text for one in there.values()]
        number = {name: len(entries) + place for place, name in enumerate(there)}
        a = np.array([place for place, _, _ in pairs], dtype=np.int64)
        b = np.array([number[name] for _, name, _ in pairs], dtype=np.int64)
        return checks(texts, self.guards)(a, b)


_MOST_OTHERS = 0.2  # pairs that may not be a text and its nearest entry
_MOST_BELOW = 0.25  # entries whose nearest entry may score less than those of all labelled texts
_MOVED = 0.005  # tolerated difference between a score and the one that a pair was drawn by
_NEAR = 0.5
_AT_ONCE = 512
_ENDLESS = 1_000_000  # so many texts to come that those that were judged are none of them
_CHAIN = "label matches of this collection: `match()` and then `label()`, each with a file as `out`"


def labels_of_pairs(fit: Rehearsal, data: PairSet, *, path: Path | None = None) -> MatchLabels:
    """Labels from pairs of a text and its nearest entry.

    Args:
        fit: the collection with the options of the fit.
        data: the pairs. Those that ``textkin label`` drew from matches are weighted by their sampling.
        path: their file; None without a file.

    Raises:
        DataError: all labels are the same, a label is neither 0 nor 1, the pairs aren't matches of this
            collection, or the base rate can't be estimated.
        UsageError: there is no such guard.
    """
    checks([], fit.guards)
    if not np.isin(np.asarray(data.labels), (0, 1)).all():
        raise DataError(
            "labels other than 0 and 1",
            path=path,
            fix=two_values(data.labels) or "give pairs that say the same or not",
        )
    if path is not None and record_of(path).is_file():
        drawing = read_drawing(path, _same(data).tolist())
        return _labels_of_drawn(fit, data, drawing, path)
    return _labels_of_others(fit, data)


def _labels_of_drawn(fit: Rehearsal, data: PairSet, drawing: Drawing, path: Path) -> MatchLabels:
    """Labels of pairs drawn from matches, by score range."""
    if not drawing.matched:
        raise DataError(
            f"was drawn from {drawing.pairs}, pairs that were chosen by their score; they don't tell how a "
            "text differs from its nearest entry",
            path=path,
            fix=_CHAIN,
        )
    _refuse_strangers(fit.store, data)
    scores = _scores(fit.model, data, fit.guards)
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
    estimated = BaseRate(drawn.rate, f"estimated from {len(data):,} labels")
    rate = estimated if fit.base_rate is None else BaseRate.given(fit.base_rate)
    return MatchLabels(arrivals, source, tuple(fit.guards), rate, drawn=drawn)


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


def _labels_of_others(fit: Rehearsal, data: PairSet) -> MatchLabels:
    """Labels of pairs without a sampling record that are a text and its nearest entry."""
    scores = _scores(fit.model, data, fit.guards)
    nearest = _nearest_texts(fit.store, fit.model, data, fit.guards)
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
    there = fit.scores()
    below = int((there < arrivals.scores.min()).sum())
    if below > _MOST_BELOW * len(there):
        raise DataError(
            f"the labelled texts look chosen by their scores: each has a nearest entry from cosine "
            f"{arrivals.scores.min():.3f} on, and {below:,} of {len(there):,} entries have none so near",
            fix=f"{_CHAIN}, which note how they were drawn; or add labelled texts that are new",
        )
    source = f"{len(known):,} pairs of {data.name}"
    return MatchLabels(arrivals, source, tuple(fit.guards), fit.rate(arrivals), len(data) - len(known))


def _scores(model: CollectionModel, data: PairSet, guards: Sequence[str]) -> Floats32:
    """The cosine of each pair, as in matches; minus infinity if a guard blocks it. Shape [pairs]."""
    texts = list(dict.fromkeys(text for pair in data for text in (pair.a, pair.b)))
    number = {text: place for place, text in enumerate(texts)}
    windows = nearest_entries.text_windows(model, texts)
    vectors = nearest_entries.first_vectors(windows)
    a, b = (np.array([number[getattr(pair, side)] for pair in data]) for side in ("a", "b"))
    whole = nearest_entries.joined_windows(windows)
    scores = rescored(cosines(vectors, a, b), whole, whole, a, b)
    return np.where(checks(texts, guards)(a, b), scores, -np.inf).astype(np.float32)


def _same(data: PairSet) -> Bools:
    """A mask of the pairs labelled as duplicates. Shape [pairs]."""
    return np.asarray(data.labels) == 1


def _clusters(data: PairSet) -> Ints:
    """Clusters of pairs connected by shared texts. Shape [pairs]."""
    graph = text_graph(data, quiet=True)
    return graph.components(pairs=np.ones(len(data), dtype=bool), ids=True)[graph.a]


def _refuse_strangers(store: CollectionStore, data: PairSet) -> None:
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


def _ids_of(store: CollectionStore, texts: set[str]) -> dict[str, str]:
    """The ids of the texts that are entries."""
    with store.reading():
        return {one.text: one.entry_id for one in store.entries() if one.text in texts}


def _nearest_texts(
    store: CollectionStore, model: CollectionModel, data: PairSet, guards: Sequence[str]
) -> Mapping[str, str | None]:
    """For each text of the pairs, the nearest kept entry that no guard blocks, except itself."""
    texts = list(dict.fromkeys(text for pair in data for text in (pair.a, pair.b)))
    ids = _ids_of(store, set(texts))
    entries = [Entry(ids.get(text, f"\0{place}"), text) for place, text in enumerate(texts)]
    # If guards block all near entries, no further ones are searched. One vector per text ranks entries by
    # their score; with windows, later entries may score more.
    windowed = model.parts is not None
    floor = _NEAR if windowed else np.inf
    nearest = nearest_entries.NearestKept(store, guards, floor, windowed=windowed, themselves=False)
    found: dict[str, str | None] = {}
    with progress("finding nearest entries", total=len(entries)) as shown:
        for start in range(0, len(entries), _AT_ONCE):
            part = entries[start : start + _AT_ONCE]
            with store.reading():
                options = nearest.of(part, nearest_entries.text_windows(model, [one.text for one in part]))
            for entry, one in zip(part, options, strict=True):
                found[entry.text] = None if one.allowed is None else one.allowed.entry.text
            shown.advance(len(part))
    return found
