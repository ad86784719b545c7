"""Common parts of the kinds of labelled pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.counts import count
from textkin.base.text_equality import keys_of
from textkin.data.pair_set_operations import with_classes
from textkin.data.readers.record_checks import checked_pairs
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.components import TextGraph, text_graph
from textkin.kinds.dev_score import dev_of_pairs
from textkin.kinds.kind import Apart, DataKind
from textkin.kinds.labelled_judge import LabelledJudge
from textkin.kinds.measuring import Options
from textkin.kinds.predicted_scores import system_from
from textkin.kinds.systems.predictions import Predicted, Predictions

if TYPE_CHECKING:
    from textkin.networks.recipes.recipe import Task
    from textkin.text.pipeline import TextPipeline
    from textkin.training.loop import Dev

ItsJudge = TypeVar("ItsJudge", bound=LabelledJudge)


class LabelledKind(DataKind[PairSet, ItsJudge]):
    """Base class of labelled pairs.

    Two sides must not share a text of yes-or-no pairs: paraphrase is transitive, so the label of one pair is
    evidence about another with the same text. Of grades and classes they must not share a pair, in either
    order: such data often pair the same sentences repeatedly.
    """

    def checked(self, data: PairSet) -> PairSet:
        """The pairs, if their texts are texts."""
        return checked_pairs(data)

    def predicted(self, judge: ItsJudge, given: Predictions, options: Options) -> Predicted:
        """A score or a class for each pair."""
        return system_from(judge.data, given)

    def learnt(self, data: PairSet, task: Task) -> PairSet:
        """The pairs, for scores and classes."""
        return data if task in ("pairs", "classes") else super().learnt(data, task)

    def size(self, data: PairSet) -> str:
        """The number of pairs."""
        return count(len(data), "pair")

    def text_pairs(self, data: PairSet) -> PairSet:
        """The pairs."""
        return data

    as_pairs = linted = text_pairs

    def rows(self, data: PairSet) -> tuple[PairSet, PairSet]:
        """A pair is a row."""
        return data, data

    def label_kind(self, data: PairSet) -> LabelKind:
        """Yes or no, grades, classes, or none."""
        return data.kind

    def with_labels(self, data: PairSet, classes: Sequence[str], kind: str | None = None) -> PairSet:
        """The pairs with these classes."""
        return with_classes(data if kind is None else replace(data, kind=LabelKind(kind)), classes)

    def apart(self, data: PairSet) -> Apart:
        """By texts, or by pairs of texts."""
        keys = keys_of(text for pair in data.texts for text in pair)
        pairs = [tuple(sorted((keys[a], keys[b]))) for a, b in data.texts]
        by_text = data.kind is LabelKind.BINARY
        return Apart(
            marks=pairs if by_text else [(pair,) for pair in pairs],
            why="one of their texts is" if by_text else "they are",
            recurring=[text for pair in data.texts for text in pair],
            unit="text",
            where="in other pairs",
        )

    def row_components(self, data: PairSet) -> tuple[TextGraph, Ints, Ints]:
        """Pairs with common texts hang together."""
        graph = text_graph(data, quiet=True)
        return graph, graph.components(pairs=np.ones(len(data), dtype=np.bool_), ids=False), graph.a

    def dev(self, data: PairSet, pipeline: TextPipeline) -> Dev:
        """Accuracy on classes, AP or Spearman on other pairs."""
        return dev_of_pairs(data, pipeline)
