"""Texts among which duplicates are to be found."""

from collections.abc import Sequence
from typing import Any

from textkin.data.readers.record_checks import checked_duplicates
from textkin.data.records import DuplicateSet, LabelKind, Pair, PairSet
from textkin.kinds.duplicates_judge import MiningJudge
from textkin.kinds.kind import DataKind
from textkin.kinds.measuring import Options
from textkin.kinds.predicted_duplicates import miner_from
from textkin.kinds.systems.predictions import Predicted, Predictions
from textkin.text.truncation_account import Truncation, truncation_of


class DuplicateKind(DataKind[DuplicateSet, MiningJudge]):
    """Texts with their duplicate pairs."""

    words = "texts with duplicates to find"
    takes = frozenset({"vectors", "cache"})
    measured_by = "AP"

    def holds(self, data: object) -> bool:
        """Sets of texts with duplicate pairs."""
        return isinstance(data, DuplicateSet)

    def checked(self, data: DuplicateSet) -> DuplicateSet:
        """The set, if its pairs are of its texts."""
        return checked_duplicates(data)

    def text_pairs(self, data: DuplicateSet) -> PairSet:
        """The pairs of duplicates."""
        pairs = (Pair(data.texts[one], data.texts[other], 1.0) for one, other in data.pairs)
        return PairSet(tuple(pairs), LabelKind.BINARY, name=data.name)

    def judge(self, data: DuplicateSet, options: Options) -> MiningJudge:
        """AP of the mined pairs."""
        return MiningJudge(data, sampling=options.sampling)

    def predicted(self, judge: MiningJudge, given: Predictions, options: Options) -> Predicted:
        """Pairs with scores."""
        return miner_from(judge.gold.data, given)

    def counted(self, data: DuplicateSet) -> Sequence[tuple[str, str]]:
        """The pairs of duplicates."""
        return self.text_pairs(data).texts

    def truncation(self, data: DuplicateSet, system: Any, name: str) -> Truncation | None:
        """Truncation of the texts."""
        return truncation_of(system, list(data.texts.values()), name=name)

    def singles(self, data: DuplicateSet) -> list[str]:
        """The distinct texts."""
        return list(dict.fromkeys(data.texts.values()))
