"""Give texts the labels of their nearest examples, and report the accuracy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import check_fields
from textkin.base.column_results import ColumnResult
from textkin.base.counts import count, percent
from textkin.base.errors import DataError, invalid, unknown_choice
from textkin.base.first_seen_numbers import enumerated
from textkin.base.parquet_files import Cell
from textkin.base.python_inputs import several
from textkin.base.results import ResultRow
from textkin.base.table_writer import Rounded
from textkin.base.text_equality import keys_of
from textkin.data.protocols import Scorer
from textkin.data.readers.labelled_texts import LabelledTexts
from textkin.kinds.judge import estimate
from textkin.kinds.systems import AnyModel, resolve
from textkin.measures.decisions.user_thresholds import NOT_FITTED, check_threshold
from textkin.measures.intervals.proportions import clustered_share
from textkin.report.content import Estimate
from textkin.report.figure_words import full
from textkin.text.baselines import with_analyser
from textkin.text.baselines.analysers import PLAIN
from textkin.text.baselines.names import BASELINES
from textkin.text.baselines.terms import FitTexts
from textkin.text.truncation_account import Truncation, truncation_of
from textkin.vectors.unknown_token_report import Coverage, coverage_of
from textkin.verbs.classify.nearest_examples import NOTHING, NearestExamples, nearest_examples

NONE = "none"
"""The label column of a text without a label."""

_COLUMNS = ("id", "text", "label", "similarity", "example", "second", "second_similarity")
MOST_FREQUENT, ANY = "(most frequent label)", "(any label)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifyOptions:
    """Options of classification.

    Attributes:
        threshold: texts whose nearest example is less similar get no label; it is not fitted.
        baselines: measured beside the model where labels are known, further to the most frequent label and
            any label at random.
        analyser: analyser of tfidf and bm25: plain, or a language whose words they stem.
        fit: texts for the baselines' word frequencies; examples and texts if None.
        vectors: for the baseline mean-vectors.
        seed: seed of the baseline random.

    """

    threshold: float | None = None
    baselines: tuple[str, ...] = ("tfidf",)
    analyser: str = PLAIN
    fit: Sequence[str] | None = None
    vectors: Path | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.threshold is not None:
            check_threshold(self.threshold)
        for name in several(self.baselines, "baselines"):
            if name not in BASELINES:
                raise unknown_choice("baselines", name, BASELINES)

    def fit_texts(self, own: Sequence[str]) -> FitTexts:
        """The texts that baselines take word frequencies from, of which ``own`` are at hand."""
        return FitTexts(list(dict.fromkeys(own)) if self.fit is None else list(self.fit))

    def scorer(self, model: AnyModel, fit_texts: Sequence[str]) -> Scorer:
        """The scorer that a model's name means."""
        (read_by,) = with_analyser([model], self.analyser)
        return resolve(read_by, fit_texts=fit_texts, vectors=self.vectors, seed=self.seed)


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """Accuracy of labels.

    Attributes:
        judged: texts, not empty, with a label of their own that are not among the examples.
        among: texts that are, but for case and punctuation; they are left out.
        foreign: labelled texts whose label no example has, so that no prediction is right.
        accuracy: accuracy of the model and, below it, of baselines; all of them without a threshold.
        decided: the fraction of labelled texts that got a label.
        precision: the fraction of these with the right one; None where none got any.
    """

    judged: int
    among: int
    foreign: int
    accuracy: tuple[tuple[str, Estimate], ...]
    decided: float
    precision: Estimate | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Classified(ColumnResult):
    """Texts with the labels of their nearest examples.

    Attributes:
        model: the scorer's name in tables.
        texts: with their own labels, where they have some.
        examples: with theirs.
        labels: the label of each text; None where no example is similar enough, or has anything in common.
        nearest: the numbers of the examples, and how similar they are.
        threshold: as it was given; None for none.
        figures: accuracy, where texts have labels of their own.
        notes: notes on the figures.
        truncation: number of texts longer than the model's maximum; None if unknown.
        coverage: the fraction of the distinct texts that the model knows.

    Example:
        >>> import textkin as tk
        >>> examples = {"delivery": ["Where is my parcel?"], "account": ["I forgot my password"]}
        >>> tk.classify(["reset my password"], examples).labels
        ('account',)
    """

    model: str
    texts: LabelledTexts
    examples: LabelledTexts
    labels: tuple[str | None, ...]
    nearest: NearestExamples
    threshold: float | None
    figures: LabelFigures | None
    notes: tuple[str, ...]
    truncation: Truncation | None
    coverage: Coverage = field(repr=False)

    def _column(self) -> NDArray[np.object_]:
        return np.array(self.labels, dtype=object)

    def _index(self) -> Any:
        return self.texts.index

    def _rows(self) -> Iterator[ResultRow]:
        found = self.nearest
        for place, label in enumerate(self.labels):
            first, second = int(found.first[place]), int(found.second[place])
            yield {
                "id": self.texts.ids[place],
                "text": self.texts.texts[place],
                "label": label,
                "similarity": None if first == NOTHING else float(found.score[place]),
                "example": None if first == NOTHING else self.examples.ids[first],
                "second": None if second == NOTHING else self.examples.labels[second],
                "second_similarity": None if second == NOTHING else float(found.second_score[place]),
                "own": self.texts.labels[place] or None,
            }

    def _count(self) -> int:
        return len(self.labels)

    def _said(self) -> tuple[str, ...]:
        return (f"labels by {self.model}", *self.printed_notes())

    def printed_notes(self) -> tuple[str, ...]:
        """The texts without a label, and the accuracy of the others."""
        return (*self.notes, *(() if self.figures is None else figures_in_words(self.figures)))

    def _summary(self) -> str:
        return f"{count(len(self.labels), 'text')}, {count(len(set(self.labels)), 'label')}, {self.model}"

    def about(self) -> dict[str, Any]:
        """The entries of the JSON object that hold for all texts."""
        return {
            "model": self.model,
            "examples": len(self.examples),
            "threshold": self.threshold,
            "threshold_fitted": None if self.threshold is None else False,
            "figures": self.figures,
            "notes": self.notes,
            "truncation": self.truncation,
            "coverage": self.coverage,
        }

    def as_dict(self) -> dict[str, Any]:
        """The model and the figures, and a row per text."""
        return {**self.about(), "labels": self.rows()}

    def as_lines(self) -> tuple[Sequence[str], Iterator[Sequence[Cell]]]:
        """The labels, with similarities of seven digits."""
        columns = _COLUMNS if not any(self.texts.labels) else (*_COLUMNS, "own")
        return columns, self._lines(columns)

    def _lines(self, columns: Sequence[str]) -> Iterator[Sequence[Cell]]:
        for row in self._rows():
            cells = {**row, "label": NONE if row["label"] is None else row["label"]}
            for name in ("similarity", "second_similarity"):
                cells[name] = None if cells[name] is None else Rounded(cells[name])
            yield [cells[name] for name in columns]


def classify_texts(
    model: AnyModel,
    texts: LabelledTexts,
    examples: LabelledTexts,
    *,
    options: ClassifyOptions | None = None,
) -> Classified:
    """Give each text the label of its nearest example; of equally near ones the first.

    Args:
        model: a folder with a model, the name of a cached one, a baseline, or an object.
        texts: their labels, where they have some, are only compared with.
        examples: all of them have labels.
        options: the defaults if left out.

    Raises:
        UsageError: there is no such model, or a label equals the mark of no label.
        DataError: there is no text or no example, or scores are not finite.
        ModelError: the model can't be read.
    """
    options = options or ClassifyOptions()
    for what, given in (("text", texts), ("example", examples)):
        if not len(given):
            raise DataError(f"there is no {what}", fix="give at least one")
    if NONE in examples.labels:
        raise invalid("examples", NONE, expected="other labels: this one stands for no label")
    numbers, _ = enumerated(examples.labels)
    fit_texts = options.fit_texts([*examples.texts, *texts.texts])
    scorer = options.scorer(model, fit_texts)
    found = nearest_examples(scorer, texts.texts, examples.texts, numbers)
    labels = tuple(_decided(found, examples.labels, options.threshold))
    figures = None
    if any(texts.labels):
        # With a threshold, too: a baseline's scores have another scale, and none is not comparable.
        answers = {scorer.name: tuple(_decided(found, examples.labels, None))}
        for name in options.baselines:
            baseline = options.scorer(name, fit_texts)
            if baseline.name not in answers:
                theirs = nearest_examples(baseline, texts.texts, examples.texts, numbers)
                answers[baseline.name] = tuple(_decided(theirs, examples.labels, None))
        figures = _figures(texts, examples, answers, labels)
    every = list(dict.fromkeys([*texts.texts, *examples.texts]))
    return Classified(
        model=scorer.name,
        texts=texts,
        examples=examples,
        labels=labels,
        nearest=found,
        threshold=options.threshold,
        figures=figures,
        notes=tuple(_notes(found, labels, options.threshold)),
        truncation=truncation_of(scorer, every),
        coverage=coverage_of(scorer, every),
    )


def figures_in_words(figures: LabelFigures) -> Iterator[str]:
    """Figures about the labels, one per line."""
    if not figures.judged:
        yield "no text with a label of its own is to be judged"
    for name, figure in figures.accuracy:
        yield f"accuracy of {name}: {full(figure)}"
    if figures.precision is not None and figures.decided < 1:
        of_these = f"of these {full(figures.precision)} the right one"
        yield f"{percent(figures.decided)} of the judged texts got a label, {of_these}"
    if figures.among:
        yield f"left out of these figures, being among the examples: {count(figures.among, 'text')}"
    if figures.foreign:
        yield f"counted as wrong: {count(figures.foreign, 'text')} with a label that no example has"


def label_accuracy(right: Sequence[bool], clusters: Sequence[str]) -> Estimate:
    """The fraction of right ones with its interval, over clusters; at least one."""
    found = clustered_share(np.array(right, dtype=np.bool_), enumerated(clusters)[0])
    return Estimate(float("nan")) if found is None else estimate(found)


def _decided(found: NearestExamples, labels: Sequence[str], threshold: float | None) -> Iterator[str | None]:
    least = -np.inf if threshold is None else np.float32(threshold)
    near: NDArray[np.bool_] = (found.first != NOTHING) & ~(found.score < least)
    for place, so in zip(found.first.tolist(), near.tolist(), strict=True):
        yield labels[place] if so else None


def _some(labels: Iterable[str]) -> str:
    """A few different labels in words."""
    return ", ".join(map(repr, list(dict.fromkeys(labels))[:3]))


def _figures(
    texts: LabelledTexts,
    examples: LabelledTexts,
    answers: Mapping[str, Sequence[str | None]],
    labels: Sequence[str | None],
) -> LabelFigures:
    """Accuracy of each system, and of ``labels``, on the texts with a known label."""
    keys = keys_of([*texts.texts, *examples.texts])
    known = {keys[text] for text in examples.texts}
    filled = map(str.strip, texts.texts)  # readers of files leave empty texts out
    labelled = [place for place, given in enumerate(zip(texts.labels, filled, strict=True)) if all(given)]
    judged = [place for place in labelled if keys[texts.texts[place]] not in known]
    own = [texts.labels[place] for place in judged]
    clusters = [keys[texts.texts[place]] for place in judged]
    counts = Counter(examples.labels)  # in the order of the examples
    foreign = sum(label not in counts for label in own)
    if own and foreign == len(own):
        raise DataError(
            f"no example has a label of the texts, such as {_some(own)}: examples have {_some(counts)}",
            fix="write labels alike on both sides",
        )
    rows: list[tuple[str, Estimate]] = []
    precision, decided = None, 0.0
    if judged:
        for name, given in answers.items():
            right = [given[place] == label for place, label in zip(judged, own, strict=True)]
            rows.append((name, label_accuracy(right, clusters)))
        most = counts.most_common(1)[0][0]
        rows.append((MOST_FREQUENT, label_accuracy([label == most for label in own], clusters)))
        # What a label drawn at random gives on average, exactly.
        rows.append((ANY, Estimate((len(own) - foreign) / len(own) / len(counts))))
        some = [row for row, place in enumerate(judged) if labels[place] is not None]
        decided = len(some) / len(judged)
        if some:
            hits = [labels[judged[row]] == own[row] for row in some]
            precision = label_accuracy(hits, [clusters[row] for row in some])
    return LabelFigures(len(judged), len(labelled) - len(judged), foreign, tuple(rows), decided, precision)


def _notes(found: NearestExamples, labels: Sequence[str | None], threshold: float | None) -> Iterator[str]:
    alone = int(np.count_nonzero(found.first == NOTHING))
    if alone:
        yield f"no label: {count(alone, 'text')}, with nothing in common with any example"
    if threshold is not None:
        below = sum(label is None for label in labels) - alone
        yield f"no label: {count(below, 'text')}, below the threshold {threshold:g} ({NOT_FITTED})"
