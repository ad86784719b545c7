"""Result of deduplicating a file: counts, and the files written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.counts import count, percent
from textkin.base.errors import DataError, PromiseError
from textkin.base.paths import shown_output
from textkin.base.results import ResultRow, Summary
from textkin.base.spelling import spelt
from textkin.base.text_table import text_table
from textkin.data.readers.read_report import ReadReport
from textkin.report.figure_words import duration
from textkin.report.notebook_plots import Plot
from textkin.text.truncation_account import Truncation
from textkin.vectors.groups.templated_texts import ChosenGuards
from textkin.vectors.long_texts import LongTexts
from textkin.vectors.unknown_token_report import Coverage
from textkin.verbs.dedupe import dedupe_report
from textkin.verbs.dedupe.checks import GoldAgreement, Guarantee
from textkin.verbs.dedupe.deduped import SourcedThreshold
from textkin.verbs.dedupe.sample_answers import SampleAnswers
from textkin.verbs.dedupe.sample_proof import SampleProof

REPORT = "report.html"
"""The page in the folder."""

_LISTS = ("removed", "is_duplicate")


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of texts and pairs.

    Attributes:
        texts: in the file.
        different: number of distinct texts, ignoring case and blanks.
        kept: number of kept texts.
        removed: number of removed texts.
        groups: number of groups of several texts.
        largest: texts of the largest group.
        pairs: similar pairs of different texts; None if there are too many to hold.
        forbidden: pairs that would be similar enough but for a guard; None likewise.
        withheld: pairs that are similar as far as they were read, and at least one text was cut; None
            likewise.
        sampled: pairs in the sample that was drawn.
        answered: number of these that the given sample has already labelled.
    """

    texts: int
    different: int
    kept: int
    removed: int
    groups: int
    largest: int
    pairs: int | None
    forbidden: int | None
    withheld: int | None
    sampled: int
    answered: int


@dataclass(frozen=True, slots=True, repr=False)
class DedupedFile(Summary):
    """Result of deduplicating a file.

    Attributes:
        out: the folder.
        kept: the file of kept texts; for a folder of parts, a folder of parts.
        counts: numbers of texts and pairs.
        cut: the threshold.
        guards: numbers of blocked pairs by rule, and of texts made from templates.
        guarantee: whether the guarantee of representative linkage holds; None for other linkages.
        answers: the precision estimated from a labelled sample.
        gold: the agreement with known groups.
        decision: the file that keeps a threshold that answers chose; None if there is none.
        proof: the proof by the labels; None where none was requested.
        read: the rows that the reader skipped.
        coverage: the fraction of the texts that the encoder knows; None of given vectors.
        withheld_texts: number of texts compared for equality only, because too many tokens are unknown.
        truncation: number of texts longer than the encoder's maximum; None if unknown.
        long: the rule for texts longer than the encoder reads; None for the default.
        seconds: for all of it.
        missed: why no threshold has the requested precision; "" where one has, or none was requested.
        removed: the ids of the removed texts.
        is_duplicate: True for each row of texts in memory to remove; None for texts of a file. Shape [rows].

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.dedupe(samples.path("inbox.txt"), out="deduped")
        >>> found.counts.texts, found.kept.name
        (184, 'kept.txt')
    """

    out: Path
    kept: Path
    counts: Counts
    cut: SourcedThreshold
    guards: ChosenGuards
    guarantee: Guarantee | None
    answers: SampleAnswers | None
    gold: GoldAgreement | None
    decision: Path | None
    proof: SampleProof | None
    read: ReadReport
    coverage: Coverage | None
    withheld_texts: int
    truncation: Truncation | None
    long: LongTexts | None
    seconds: float
    missed: str = ""
    removed: frozenset[str] = frozenset()
    is_duplicate: NDArray[np.bool_] | None = None

    @property
    def threshold(self) -> float:
        """The lowest cosine of duplicates."""
        return self.cut.value

    def as_dict(self) -> dict[str, Any]:
        """All fields but the lists of texts, which are in the folder."""
        return {name: value for name, value in Summary.as_dict(self).items() if name not in _LISTS}

    def plot(self) -> Plot:
        """The report, for notebooks.

        Raises:
            DataError: it can't be read.
        """
        path = self.out / REPORT
        try:
            return Plot(f"Deduplication in {self.out}", path.read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", path=path) from error

    def of_rows(self, ids: Sequence[str]) -> DedupedFile:
        """The same for texts in memory, whose rows have these ids."""
        return replace(self, is_duplicate=np.array([one in self.removed for one in ids], dtype=np.bool_))

    def text(self) -> str:
        """The counts, the threshold, what labels show, and the files' names."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        counts = self.counts
        yield (
            f"{count(counts.texts, 'text')}, {count(counts.different)} different: {count(counts.kept)} kept, "
            f"{count(counts.removed)} removed ({percent(counts.removed / counts.texts)})"
        )
        groups = count(counts.groups, "group")
        if counts.groups:
            groups += f", the largest with {count(counts.largest, 'text')}"
        if counts.pairs is None or counts.forbidden is None:
            yield groups
            yield dedupe_report.how_many()
        else:
            apart = f"{count(counts.forbidden)} more kept apart by a guard"
            yield f"{groups}; {count(counts.pairs, 'similar pair')}, {apart}"
        yield f"threshold {self.cut.value:.6g}: {self.cut.words}"
        yield from filter(None, self._notes())
        if self.answers is not None:
            yield from _precision_lines(self.answers)
            yield from _proof_lines(self.proof)
        if self.decision is not None:
            yield spelt(f"`decision` of other commands takes this threshold: {shown_output(self.decision)}")
        if self.gold is not None:
            rows = [
                (name, f"{value:.4f}") for name, value in dedupe_report.agreement_figures(self.gold).items()
            ]
            yield text_table(("agreement with known groups", ""), rows)
        if counts.sampled:
            labelled = f" ({count(counts.answered)} more have labels)" if counts.answered else ""
            left = count(counts.sampled - counts.answered, "pair")
            sample = shown_output(self.out / "sample.csv")
            yield f"{left} to label{labelled}: write yes or no into the column same of {sample}"
        skipped = sum(self.read.skipped.values())
        beside = f", with {count(skipped, 'row')} without text" if skipped else ""
        report = shown_output(self.out / REPORT)
        yield f"{duration(self.seconds)}; kept: {shown_output(self.kept)}{beside}; report: {report}"

    def _notes(self) -> Iterator[str | None]:
        """Notes on guards, the threshold, excluded texts and the guarantee."""
        counts = self.counts
        yield self.guards.sentence(counts.different)
        if not self.cut.fitted and self.answers is None and counts.removed:
            yield dedupe_report.how_to_fit(complete=counts.pairs is not None)
        if self.withheld_texts:
            yield dedupe_report.withheld_sentence(self.withheld_texts)
        yield from dedupe_report.long_texts(self.truncation, counts.withheld, self.long)
        if self.guarantee is not None:
            yield self.guarantee.sentence()

    def _rows(self) -> Iterator[ResultRow]:
        yield {
            "out": self.out,
            "kept_file": self.kept.name,
            **asdict(self.counts),
            "threshold": self.cut.value,
            "guards": ",".join(self.guards.names),
            "templated": self.guards.templated,
        }


def _precision_lines(answers: SampleAnswers) -> Iterator[str]:
    """The precision at each threshold of the labelled sample."""
    rows = [
        (
            f"{one.threshold:.6g}",
            f"{one.pairs:,}",
            "too few labels" if one.precision is None else dedupe_report.precision_in_words(one.precision),
            "-" if one.remaining is None else dedupe_report.in_words(one.remaining),
        )
        for one in answers.at
    ]
    title = f"Precision by {count(answers.judged, 'label')}, {count(answers.blank)} left blank"
    yield text_table(("threshold", "pairs at or above", "precision", "duplicates found"), rows, title=title)
    yield from dedupe_report.said_beside(answers)


def _proof_lines(proof: SampleProof | None) -> Iterator[str]:
    """The proven precision at each threshold, or the note that none is proven."""
    if proof is None:
        yield spelt(
            "The intervals hold for a fixed number of labels, not if you label until they fit; `proof=True` "
            "allows that."
        )
        return
    rows = [(f"{one.threshold:.6g}", f"{one.pairs:,}", f"{one.least:.3f}") for one in proof.at]
    title = f"Proven by {count(proof.labels, 'label')}, however often you look"
    yield text_table(("threshold", "pairs at or above", "proven precision"), rows, title=title)
    if proof.blank:
        yield f"{count(proof.blank, 'pair')} left blank before the last label count as not the same"


class MissedPrecisionError(PromiseError):
    """The labels show no threshold with the wanted precision; the files are those of the threshold without.

    Args:
        why: the evidence of the labels.
        found: the result without the promise.
    """

    def __init__(self, why: PromiseError, found: DedupedFile) -> None:
        told = f"{found.out} has what threshold {found.cut.value:.6g} does, which isn't shown to have it"
        super().__init__(f"{why.message}; {told}", fix=why.fix)
        self.found = found
