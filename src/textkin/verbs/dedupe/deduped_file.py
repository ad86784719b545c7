"""What became of a file's texts: how many stay and go, and where that is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import final

from textkin.base.errors import PromiseError
from textkin.base.results import ResultRow, Summary
from textkin.data.readers.read_report import ReadReport
from textkin.text.truncation_account import Truncation
from textkin.vectors.groups.templated_texts import ChosenGuards
from textkin.vectors.unknown_token_report import Coverage
from textkin.verbs.dedupe.checks import GoldAgreement, Guarantee
from textkin.verbs.dedupe.dedupe import SourcedThreshold
from textkin.verbs.dedupe.sample_answers import SampleAnswers
from textkin.verbs.dedupe.sample_proof import SampleProof


@final
@dataclass(frozen=True, slots=True)
class Counts:
    """How many texts and pairs there were.

    Attributes:
        texts: in the file.
        different: of them, case and blanks aside.
        kept: texts that stay.
        removed: texts that go.
        groups: of several texts.
        largest: texts of the largest group.
        pairs: similar pairs of different texts; None if there are too many to hold.
        forbidden: pairs that would be similar enough but for a guard; None likewise.
        withheld: pairs that are similar as far as they were read, and at least one text was cut; None
            likewise.
        sampled: pairs in the sample that was drawn.
        answered: how many of these have an answer already, from the judged sample that was given.
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


@final
@dataclass(frozen=True, slots=True, repr=False)
class DedupedFile(Summary):
    """What was done.

    Attributes:
        out: the folder.
        kept: the file of what stays; of a folder of parts the folder of parts that stay.
        counts: how many texts and pairs there were.
        cut: the threshold.
        guards: what forbade pairs, and how many texts are made of templates.
        guarantee: whether the promise of representative linkage was kept; None for other linkages.
        answers: the precision that a judged sample tells.
        gold: the agreement with known groups.
        decision: the file that keeps a threshold that answers chose; None if there is none.
        proof: what the answers prove; None where nobody asked.
        read: what the reader skipped.
        coverage: how much of the texts the encoder knows; None of given vectors.
        withheld_texts: texts that stay since too much of them is unknown, unless they equal others.
        truncation: how many texts are longer than the encoder reads; None if it is not known.
        seconds: for all of it.
        missed: why no threshold has the precision that was asked for; "" where one has, or nobody asked.

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
    seconds: float
    missed: str = ""

    def _rows(self) -> Iterator[ResultRow]:
        yield {
            "out": self.out,
            "kept_file": self.kept.name,
            **asdict(self.counts),
            "threshold": self.cut.value,
            "guards": ",".join(self.guards.names),
            "templated": self.guards.templated,
        }


@final
class MissedPrecisionError(PromiseError):
    """The answers show no threshold with the wanted precision; the files are those of the threshold without.

    Args:
        why: what the answers show.
        found: what was done all the same.
    """

    def __init__(self, why: PromiseError, found: DedupedFile) -> None:
        told = f"{found.out} has what threshold {found.cut.value:.6g} does, which isn't shown to have it"
        super().__init__(f"{why.message}; {told}", fix=why.fix)
        self.found = found
