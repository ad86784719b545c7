"""The judge of duplicate mining, which ranks a system's most similar pairs.

Every system has its own candidates, so systems are compared by groups of texts, not by pairs: two texts are
in one group if gold pairs link them, directly or through others. Intervals and tests resample whole groups. A
pair within a group then counts as often as its group was drawn, a pair of two groups as often as the product
of the two, as if the texts had been drawn and mined again (Owen 2007, "The pigeonhole bootstrap").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import DataError, said
from textkin.base.files import atomic_text
from textkin.data.protocols import ByWeight, System
from textkin.data.records import DuplicateSet
from textkin.data.splits.components import join
from textkin.kinds.judge import Judge, as_scorer
from textkin.kinds.predicted_duplicates import PredictedDuplicates
from textkin.kinds.seed_files import AGAIN, seed_files, tagged
from textkin.kinds.systems.predictions import can_be_asked
from textkin.kinds.threshold_choice import Thresholds
from textkin.measures.decisions.goal import Aim
from textkin.measures.intervals.bootstrap import Interval, resample_counts
from textkin.measures.intervals.paired_tests import Difference, difference_of
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.intervals.standard_errors import limits, spread
from textkin.measures.metrics.binary_pairs import (
    average_precision,
    f1_by_weight,
    precision_by_weight,
    recall_by_weight,
)
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight
from textkin.text.baselines.names import LEXICAL
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.index.exact_search import mine_pairs

_AP = "AP"
_AT_THRESHOLD = {"F1": f1_by_weight, "precision": precision_by_weight, "recall": recall_by_weight}


class Gold:
    """The texts of a set by number, and their duplicate pairs.

    Attributes:
        data: the data set.
        pairs: text numbers of the duplicates, the lower first. Shape [gold, 2].
        group: the group of each text. Shape [texts].
        groups: the number of groups.

    Raises:
        DataError: there are no duplicates.
    """

    def __init__(self, data: DuplicateSet) -> None:
        if not data.pairs:
            raise DataError(f"{data.name or 'the data'} has no duplicates to find", fix="give other data")
        number = {name: place for place, name in enumerate(data.texts)}
        self.data = data
        found = [(number[first], number[second]) for first, second in data.pairs]
        self.pairs = np.sort(np.array(found, dtype=np.int64), axis=1)
        self.group = join(len(number), self.pairs)
        self.groups = len(np.unique(self.group))

    def judged(self, mined: Edges) -> RankedPairs:
        """Mined pairs with their labels, and the duplicates that were missed."""
        count = len(self.data.texts)
        keys, gold = mined.a * count + mined.b, self.pairs[:, 0] * count + self.pairs[:, 1]
        missed = self.pairs[~np.isin(gold, keys)]
        pairs = np.concatenate((np.stack((mined.a, mined.b), axis=1), missed))
        labels = np.concatenate((np.isin(keys, gold), np.ones(len(missed), dtype=np.bool_)))
        scores = np.concatenate((mined.score, np.full(len(missed), -np.inf))).astype(np.float64)
        return RankedPairs(labels.astype(np.float64), scores, *self.group[pairs].T)


@dataclass(frozen=True, slots=True, eq=False)
class RankedPairs:
    """Pairs with labels and scores; the score of a missed duplicate is minus infinity.

    Attributes:
        labels: 1 for duplicates. Shape [pairs].
        scores: shape [pairs].
        first: the group of each pair's first text. Shape [pairs].
        second: the group of its second text. Shape [pairs].
    """

    labels: Floats
    scores: Floats
    first: Ints
    second: Ints

    def weights(self, counts: Floats) -> Floats:
        """The weights of pairs for resampled groups: [groups, rounds] -> [pairs, rounds]."""
        weights = counts[self.first]
        apart = self.first != self.second
        weights[apart] *= counts[self.second[apart]]
        return weights


def _mined(name: str, seeds: Sequence[System], data: DuplicateSet) -> list[Edges]:
    """The pairs that each seed finds, or that were given."""
    texts = list(data.texts.values())
    return [
        system.mined(texts)
        if isinstance(system, PredictedDuplicates)
        else mine_pairs(as_scorer(name, system), texts)
        for system in seeds
    ]


class MiningJudge(Judge):
    """Texts with their duplicates: AP of the pairs found by a system.

    Args:
        data: the texts.
        sampling: settings of intervals and tests.
        dev: other texts, on which a threshold for the best F1 is fitted; F1, precision and recall on ``data``
            are then measured too.

    Raises:
        DataError: there are no duplicates.
    """

    kind = "duplicates"
    main = _AP

    def __init__(self, data: DuplicateSet, *, sampling: Sampling, dev: DuplicateSet | None = None) -> None:
        self.gold, self.sampling = Gold(data), sampling
        self.dev = None if dev is None else Gold(dev)
        self.baselines = LEXICAL
        self.thresholds = Thresholds(Aim.F1)
        self.mined: dict[str, tuple[Edges, ...]] = {}
        self._values: dict[str, list[float]] = {}
        self._draws: dict[str, dict[str, tuple[float, Floats]]] = {}

    @cached_property
    def texts(self) -> list[str]:
        """The distinct texts."""
        return list(dict.fromkeys(self.gold.data.texts.values()))

    @property
    def names(self) -> list[str]:
        """The systems taken so far."""
        return list(self.mined)

    def take(self, name: str, *seeds: System) -> None:
        """Mine duplicates with systems, and measure the result."""
        if self.dev is not None and can_be_asked(seeds):
            fitted_on = [self.dev.judged(one) for one in _mined(name, seeds, self.dev.data)]
            self.thresholds.fit(name, [(one.labels, one.scores) for one in fitted_on])
        self.take_mined(name, _mined(name, seeds, self.gold.data))

    def take_mined(self, name: str, mined: Sequence[Edges]) -> None:
        """Keep and measure the pairs a system found, for each seed."""
        judged = [self.gold.judged(one) for one in mined]
        self.mined[name] = tuple(mined)
        self._values[name] = [average_precision(one.labels, one.scores) for one in judged]
        self._draws[name] = self._drawn(name, judged)

    def value(self, name: str) -> float:
        """AP, averaged over seeds."""
        return float(np.mean(self._values[name]))

    def by_seed(self, name: str) -> list[float]:
        """AP for each seed."""
        return self._values[name]

    def figures(self, name: str) -> dict[str, Interval]:
        """AP; with thresholds also F1, precision and recall."""
        found = {}
        for key, (value, draws) in self._draws[name].items():
            low, high = limits(value, spread(draws, self.gold.groups), units=self.gold.groups)
            found[key] = Interval(value, low, high, self.gold.groups)
        return found

    def difference(self, name: str, reference: str, *, tests: int = 1) -> Difference:
        """A difference tested on the interval's resamples, centred on the observed one."""
        (value, draws), (other, others) = (self._draws[one][_AP] for one in (name, reference))
        observed, drawn = value - other, draws - others
        hits = int(np.sum(np.abs(drawn - observed) >= abs(observed)))
        groups, error = self.gold.groups, spread(drawn, self.gold.groups)
        found = difference_of(observed, error, units=groups, hits=hits, rounds=len(drawn), n=groups)
        return found.within(1.0)

    def sizes(self) -> dict[str, int]:
        """The numbers of duplicates and of groups."""
        return {"pairs": len(self.gold.pairs), "components": self.gold.groups}

    def notes(self) -> tuple[str, ...]:
        """The number of texts with duplicates."""
        texts = len(self.gold.data.texts)
        chance = len(self.gold.pairs) / (texts * (texts - 1) / 2)
        return (f"{len(self.gold.pairs):,} duplicates among {texts:,} texts: by chance AP is {chance:.2g}",)

    def write(self, folder: Path) -> None:
        """Write ``NAME.mined.tsv`` for every system and seed, best pairs first; ``thresholds.json``."""
        ids = list(self.gold.data.texts)
        for each, one in tagged(self.mined):
            rows = zip(one.a.tolist(), one.b.tolist(), one.score.tolist(), strict=True)
            with atomic_text(folder / f"{each}.mined.tsv") as stream:
                stream.write("id_a\tid_b\tscore\n")
                stream.writelines(f"{ids[a]}\t{ids[b]}\t{score!r}\n" for a, b, score in rows)
        self.thresholds.write(folder)

    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Read the pairs from these files."""
        self.thresholds.read(folder, names)
        for name, paths in seed_files(folder, names, ".mined.tsv", what="mined pairs"):
            self.take_mined(name, [self._read(path) for path in paths])

    def _read(self, path: Path) -> Edges:
        number = {name: place for place, name in enumerate(self.gold.data.texts)}
        try:
            header, *lines = path.read_text(encoding="utf-8").splitlines()
            rows = [line.split("\t") for line in lines]
            first, second = (np.array([number[row[side]] for row in rows], np.int64) for side in (0, 1))
            scores = np.array([row[2] for row in rows], dtype=np.float32)
        except (OSError, ValueError, KeyError, IndexError) as error:
            raise DataError(f"is not a file of mined pairs: {said(error)}", path=path, fix=AGAIN) from error
        if header != "id_a\tid_b\tscore":
            raise DataError("is not a file of mined pairs", path=path, fix=AGAIN)
        return Edges(first, second, scores)

    def _drawn(self, name: str, judged: Sequence[RankedPairs]) -> dict[str, tuple[float, Floats]]:
        """Each metric averaged over seeds, and the same on each resample."""
        by_seed = [self._figures_of(name, seed, one) for seed, one in enumerate(judged)]
        values, draws = zip(*by_seed, strict=True)
        return {
            key: (float(np.mean([one[key] for one in values])), np.mean([one[key] for one in draws], axis=0))
            for key in values[0]
        }

    def _figures_of(
        self, name: str, seed: int, judged: RankedPairs
    ) -> tuple[dict[str, float], dict[str, Floats]]:
        """The metrics of one seed, and the same on each resample."""
        figures: dict[str, ByWeight] = {_AP: average_precision_by_weight(judged.labels, judged.scores)}
        if name in self.thresholds:
            threshold = self.thresholds.of(name, Aim.F1)[seed]
            for key, at in _AT_THRESHOLD.items():
                figures[key] = at(threshold)(judged.labels, judged.scores)
        alike = np.ones((len(judged.labels), 1))
        values = {key: float(figure(alike)[0]) for key, figure in figures.items()}
        rng = np.random.default_rng(self.sampling.seed)
        batches = resample_counts(
            rng, units=self.gold.groups, resamples=self.sampling.resamples, rows=len(judged.labels)
        )
        parts = []
        for counts in batches:
            weights = judged.weights(counts)
            parts.append({key: figure(weights) for key, figure in figures.items()})
        return values, {key: np.concatenate([part[key] for part in parts]) for key in figures}
