"""The data linter: errors within files of pairs, and overlaps between them."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from textkin.base.counts import percent
from textkin.base.errors import DataError, invalid
from textkin.base.text_equality import Equal
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.findings import Example, Finding, LintReport, Severity, Topic
from textkin.data.splits.lint_checks import CHECKS, EXAMPLES, Subject, short


def lint(
    sets: Sequence[PairSet],
    *,
    texts: Sequence[PairSet] = (),
    lines: Sequence[Mapping[int, int]] = (),
    equal: Equal = Equal.LETTERS,
) -> LintReport:
    """Check each set, and every two of them for overlaps.

    Args:
        sets: one for each file; their names should differ.
        texts: for each set the pairs of the texts that files may share, by default its own.
        lines: for each set, the file's line of each data row, for findings.
        equal: rule for equal texts.

    Raises:
        UsageError: there is no set, or ``lines`` has another length.
        DataError: a set has no pairs.
    """
    if not sets or (lines and len(lines) != len(sets)):
        raise invalid("lines", f"lines of {len(lines)} sets", expected=f"those of {len(sets)} sets, or none")
    for data in sets:
        if not len(data):
            raise DataError(f"{data.name or 'the file'} has no pairs", fix="give a file with pairs")
    known = lines or [{}] * len(sets)
    subjects = [Subject.of(data, own, equal=equal) for data, own in zip(sets, known, strict=True)]
    findings = [finding for subject in subjects for check in CHECKS for finding in check(subject)]
    findings += _scales(sets)
    if texts:
        subjects = [Subject.of(data, own, equal=equal) for data, own in zip(texts, known, strict=True)]
    findings += [finding for one, other in combinations(subjects, 2) for finding in _shared(one, other)]
    return LintReport(tuple(findings), tuple((data.name, len(data)) for data in sets))


def _scales(sets: Sequence[PairSet]) -> list[Finding]:
    """Labels of several kinds, as one finding about the files that have labels."""
    labelled = [data for data in sets if data.kind is not LabelKind.NONE]
    if len({data.kind for data in labelled}) < 2:
        return []
    kinds = ", ".join(f"{data.name}: {data.kind.value}" for data in labelled)
    message = (
        f"labels of several kinds ({kinds}). What is fitted on one doesn't suit another: bring them to one "
        "scale."
    )
    files = tuple(data.name for data in labelled)
    return [Finding(Topic.LABEL_SCALE, Severity.WARNING, files, len(labelled), message)]


def _shared(one: Subject, other: Subject) -> list[Finding]:
    """The overlap of two files, as findings about both."""
    pairs_here, pairs_there = _pair_positions(one), _pair_positions(other)
    texts_here, texts_there = _text_positions(one), _text_positions(other)
    pairs = [pair for pair in pairs_here if pair in pairs_there]
    texts = [text for text in texts_here if text in texts_there]
    files = (one.data.name, other.data.name)
    found = []
    if pairs:
        message = (
            f"pairs in both files: {len(pairs):,} ({percent(len(pairs) / len(pairs_here))} of the "
            f"distinct pairs of the first, {percent(len(pairs) / len(pairs_there))} of the second). "
            "Never train on one and test on the other as they are: remove these pairs from one of them."
        )
        examples = (_example(one, pairs_here[pair], other, pairs_there[pair]) for pair in pairs[:EXAMPLES])
        found.append(Finding(Topic.SHARED_PAIR, Severity.ERROR, files, len(pairs), message, tuple(examples)))
    if texts:
        message = (
            f"texts in both files, case and punctuation aside: {len(texts):,} "
            f"({percent(len(texts) / len(texts_here))} of the distinct texts of the first, "
            f"{percent(len(texts) / len(texts_there))} of the second). "
            "If one is for training and the other for testing, join the files and split them with textkin."
        )
        places = ((texts_here[text], texts_there[text]) for text in texts[:EXAMPLES])
        examples = (
            Example((one.place(here[0]), other.place(there[0])), short(here[1])) for here, there in places
        )
        found.append(
            Finding(Topic.SHARED_TEXT, Severity.WARNING, files, len(texts), message, tuple(examples))
        )
    return found


def _example(one: Subject, here: int, other: Subject, there: int) -> Example:
    return Example((one.place(here), other.place(there)), one.example(here).text)


def _pair_positions(subject: Subject) -> dict[tuple[str, str], int]:
    """The first position of each pair of keys, smaller key first."""
    keys = subject.graph.keys
    positions: dict[tuple[str, str], int] = {}
    for position, (a, b) in enumerate(zip(subject.graph.a.tolist(), subject.graph.b.tolist(), strict=True)):
        positions.setdefault((min(keys[a], keys[b]), max(keys[a], keys[b])), position)
    return positions


def _text_positions(subject: Subject) -> dict[str, tuple[int, str]]:
    """The first position of each key, and the text there."""
    keys, graph = subject.graph.keys, subject.graph
    positions: dict[str, tuple[int, str]] = {}
    for position, (pair, a, b) in enumerate(
        zip(subject.data, graph.a.tolist(), graph.b.tolist(), strict=True)
    ):
        positions.setdefault(keys[a], (position, pair.a))
        positions.setdefault(keys[b], (position, pair.b))
    return positions
