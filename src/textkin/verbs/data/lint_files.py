"""Lint files of pairs, triplets, questions and corpora for errors and leaks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.counts import percent
from textkin.base.errors import DataError, UsageError
from textkin.base.paths import is_folder, real
from textkin.base.text_equality import Equal
from textkin.data.choice_records import ChoiceSet
from textkin.data.protocols import AnySystem
from textkin.data.readers import Reading, TextReading, load, load_texts
from textkin.data.readers.choice_rows import ExamRow
from textkin.data.readers.datasets.beir import is_beir
from textkin.data.readers.datasets.squad import read_squad, without_questions
from textkin.data.readers.from_python import holds_choices, holds_spans
from textkin.data.readers.read_report import Loaded, ReadReport, columns_in_words, note_columns
from textkin.data.readers.texts import TextParts, open_texts
from textkin.data.records import Pair, PairSet
from textkin.data.span_records import SpanSet
from textkin.data.splits.findings import Example, Finding, LintReport, Place, Severity, Topic
from textkin.data.splits.lint import lint
from textkin.data.splits.lint_checks import EXAMPLES, Subject, short
from textkin.kinds.registry import data_kind, load_data
from textkin.kinds.systems.open_folder import open_named
from textkin.text.truncation_account import cut_pairs, lengths_of, truncation_of, truncation_of_pairs
from textkin.text.unknown_tokens import NOTICEABLE
from textkin.vectors.unknown_token_report import NamedReportsUnknown
from textkin.verbs.data.lint_collections import lint_collection
from textkin.verbs.data.lint_exams import asked_in, lint_between, lint_exam, place_of, rows_asked
from textkin.verbs.data.lint_spans import lint_spans
from textkin.verbs.data.lint_training import lint_training
from textkin.verbs.data.split_file import table_of
from textkin.verbs.inputs import TextInput


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is checked of a file or of records.

    Attributes:
        checked: the pairs as they are stated.
        texts: the pairs of their texts, which for most kinds are the same.
        lines: the line of each row of a file, where it is known.
    """

    checked: PairSet
    texts: PairSet
    lines: Mapping[int, int]


_SHORTEN = "Shorten them, or take a model that reads on."


def lint_files(
    paths: Sequence[Path | str],
    *,
    model: str | Path | AnySystem | None = None,
    reading: Reading | None = None,
    equal: Equal = Equal.LETTERS,
) -> LintReport:
    """Lint one file or several together; findings name files, and the lines of pairs and questions.

    Of questions with candidates, all questions are looked at, as (question, candidate) pairs. A triplet is a
    pair of the same, its anchor and positive, and one of the not same with each negative.

    Args:
        paths: files of pairs, of questions with choices or about passages (SQuAD), files and folders of
            questions with candidates, or folders of BEIR.
        model: a model, its folder or name: texts that it would cut, or doesn't know enough of, are found too.
            With it, a file may hold single texts, which are checked for nothing else.
        reading: reading options of all files.
        equal: when two texts are the same text.

    Raises:
        UsageError: no file, or one given twice.
        DataError: a file can't be read, or is a collection.
        ModelError: the model can't be read.
    """
    system = open_named(model) if isinstance(model, str | Path) else model
    given = [Path(path) for path in paths]
    if len({real(place) for place in given}) < len(given):
        raise UsageError("a file was given twice", fix="give each file once", params=("files",))
    reading = reading or Reading()
    exams = {str(place): asked_in(place) for place in given if holds_choices(place, reading=reading)}
    spans = {str(place): read_squad(place) for place in given if holds_spans(place, reading=reading)}
    if (empty := next((place for place, of in spans.items() if not of.report.rows), None)) is not None:
        raise without_questions(empty)
    corpora = _corpora([place for place in given if is_folder(place)], reading)
    places = [
        place
        for place in given
        if place not in corpora and str(place) not in exams and str(place) not in spans
    ]
    singles = [] if system is None else [place for place in places if _holds_single_texts(place, reading)]
    loaded = {place: _load(place, reading) for place in places if place not in singles}
    for item in loaded.values():
        note_columns(item.report)
    report = LintReport((), ())
    if loaded or not (singles or exams or spans or corpora):
        report = lint_loaded(loaded, reading=reading, system=system, equal=equal)
    alone = [_single_texts(place, _of_texts(reading)) for place in singles]
    subjects = [_subject(item, str(place), reading, is_file=True) for place, item in loaded.items()]
    known = {one.texts.name: _texts_of_pairs(one) for one in subjects}
    report = _with_unread(report, list(known.values()), alone, system)
    of_corpora = [one for place, of in corpora.items() for one in lint_collection(place, of, equal=equal)]
    report = replace(
        report,
        findings=(*of_corpora, *report.findings),
        pairs=(*((str(place), of.report.kept) for place, of in corpora.items()), *report.pairs),
    )
    pairs = _pairs_of(subjects, exams, {**spans, **{str(place): of for place, of in corpora.items()}})
    report = _with_training(report, map(str, given), pairs, system)
    return _with_questions(report, exams, spans, known, equal=equal)


def lint_sets(
    sets: Sequence[Loaded[Any] | TextInput], model: AnySystem | None, *, equal: Equal
) -> LintReport:
    """Lint sets in memory together, and find the texts that a model cuts or doesn't know enough of."""
    names = ["files" if isinstance(one, TextInput) else one.data.name for one in sets]
    given = {
        name if names.count(name) == 1 else f"files[{place}]": one
        for place, (name, one) in enumerate(zip(names, sets, strict=True))
    }
    alone = [_placed(one.texts, name) for name, one in given.items() if isinstance(one, TextInput)]
    named = {name: one for name, one in given.items() if not isinstance(one, TextInput)}
    exams = {name: rows_asked(one.data) for name, one in named.items() if isinstance(one.data, ChoiceSet)}
    spans = {name: one for name, one in named.items() if isinstance(one.data, SpanSet)}
    others = {name: one for name, one in named.items() if name not in {**exams, **spans}}
    subjects = [_subject(one, name, Reading()) for name, one in others.items()]
    report = _linted(subjects, model, equal=equal) if subjects else LintReport((), ())
    known = {one.texts.name: _texts_of_pairs(one) for one in subjects}
    report = _with_unread(report, list(known.values()), alone, model)
    report = _with_training(report, given, _pairs_of(subjects, exams, spans), model)
    return _with_questions(report, exams, spans, known, equal=equal)


def _pairs_of(
    subjects: Sequence[_Subject], exams: Mapping[str, Sequence[ExamRow]], others: Mapping[str, Loaded[Any]]
) -> dict[str, Sequence[tuple[str, str]]]:
    """The pairs that a model may have learnt, by the name of a file or of records.

    They are those of its training: of questions with choices a pair for each choice, of questions about
    passages the question and its passage, of a corpus each query with each judged document.
    """
    return {
        **{one.texts.name: one.texts.texts for one in subjects},
        **{name: [(one.question, text) for one in of for text in one.choices] for name, of in exams.items()},
        **{name: of.data.texts for name, of in others.items()},
    }


def _with_training(
    report: LintReport,
    names: Iterable[str],
    pairs: Mapping[str, Sequence[tuple[str, str]]],
    system: AnySystem | None,
) -> LintReport:
    """A report with what a model has learnt from; single texts make no pairs."""
    if system is None:
        return report
    return replace(
        report,
        findings=(*report.findings, *lint_training(system, {name: pairs.get(name, ()) for name in names})),
    )


def _with_unread(
    report: LintReport,
    known: Sequence[Mapping[str, Place]],
    alone: Sequence[Mapping[str, Place]],
    system: AnySystem | None,
) -> LintReport:
    """A report with the single texts that a model cuts, and all texts that it doesn't know enough of."""
    if system is None:
        return report
    reader = _reader(system)
    long = [one for texts in alone for one in _long_single_texts(system, texts)]
    unknown = [] if reader is None else [one for found in (*known, *alone) for one in _unknown(reader, found)]
    return replace(report, findings=(*long, *report.findings, *unknown))


def _with_questions(
    report: LintReport,
    exams: Mapping[str, Sequence[ExamRow]],
    spans: Mapping[str, Loaded[SpanSet]],
    known: Mapping[str, Mapping[str, Place]],
    *,
    equal: Equal,
) -> LintReport:
    """A report with the findings on questions with choices, and about passages; ``known`` are other texts."""
    return replace(
        report,
        findings=(*_of_exams(exams, known), *lint_spans(spans, equal=equal), *report.findings),
        pairs=(
            *((name, len(asked)) for name, asked in exams.items()),
            *((name, of.report.rows) for name, of in spans.items()),
            *report.pairs,
        ),
    )


def _corpora(folders: Sequence[Path], reading: Reading) -> dict[Path, Loaded[Any]]:
    """The folders that are BEIR's, as read."""
    fits = reading.format in ("auto", "beir")
    found = [place for place in folders if fits and is_beir(place)]
    return {place: load(place, reading=replace(reading, format="beir")) for place in found}


def _of_exams(
    exams: Mapping[str, Sequence[ExamRow]], texts: Mapping[str, Mapping[str, Place]]
) -> Iterator[Finding]:
    """Check files of questions with choices, and what they share with each other and with pairs."""
    earlier: dict[str, Mapping[str, Place]] = {}
    for place, asked in exams.items():
        yield from lint_exam(place, asked)
        yield from lint_between(place, asked, {**earlier, **texts})
        earlier[place] = {one.question: place_of(place, one) for one in reversed(asked)}


def lint_loaded(
    loaded: Mapping[Path, Loaded[Any]],
    *,
    reading: Reading,
    system: AnySystem | None = None,
    equal: Equal = Equal.LETTERS,
) -> LintReport:
    """:func:`lint_files` of data that were read with ``reading``.

    Of the files only lines are counted.

    Raises:
        DataError: as ``lint_files``.
    """
    subjects = [_subject(item, str(place), reading, is_file=True) for place, item in loaded.items()]
    report = _linted(subjects, system, equal=equal)
    skipped = [_skipped(item.report) for item in loaded.values() if item.report.skipped]
    columns = columns_in_words(item.report for item in loaded.values())
    return replace(report, findings=(*skipped, *report.findings), columns=columns)


def _linted(subjects: Sequence[_Subject], system: AnySystem | None, *, equal: Equal) -> LintReport:
    """The findings on the subjects, with the texts that a model would cut."""
    texts = [one.texts for one in subjects] if any(one.texts is not one.checked for one in subjects) else ()
    lines = [one.lines for one in subjects]
    report = lint([one.checked for one in subjects], texts=texts, lines=lines, equal=equal)
    if system is None:
        return report
    long = [found for one in subjects for found in _long_texts(Subject.of(one.texts, one.lines), system)]
    return replace(report, findings=(*long, *report.findings))


def _long_texts(subject: Subject, system: AnySystem) -> list[Finding]:
    """The pairs of which a model would cut something."""
    pairs = subject.data.texts
    found = cut_pairs(system, pairs)
    account = truncation_of_pairs(system, pairs)
    return subject.finding(
        Topic.LONG_TEXT,
        Severity.WARNING,
        len(found),
        f"{account and account.sentence()}. {_SHORTEN}",
        map(subject.example, found[:EXAMPLES]),
    )


def _long_single_texts(system: Any, places: Mapping[str, Place]) -> list[Finding]:
    """The texts that a model would cut, the longest first."""
    texts = list(places)
    account = truncation_of(system, texts)
    if account is None or not account.cut:
        return []
    lengths = lengths_of(system, texts)
    longest = np.argsort(-lengths, kind="stable")[: min(EXAMPLES, account.cut)].tolist()
    examples = (
        Example((places[texts[at]],), f"{short(texts[at])} ({lengths[at]:,} tokens)") for at in longest
    )
    files = (next(iter(places.values())).file,)
    message = f"{account.sentence()}. {_SHORTEN}"
    return [Finding(Topic.LONG_TEXT, Severity.WARNING, files, account.cut, message, tuple(examples))]


def _reader(system: AnySystem) -> NamedReportsUnknown | None:
    """The model, if it reports unknown tokens."""
    return system if isinstance(system, NamedReportsUnknown) else None


def _holds_single_texts(place: Path, reading: Reading) -> bool:
    """Check for a file that isn't one of pairs, but one that ``data.readers.texts`` reads."""
    try:
        _load(place, reading)
    except (DataError, UsageError):
        try:
            load_texts(place, reading=_of_texts(reading))
        except (DataError, UsageError):
            return False  # its errors are reported when it is read as pairs
        return True
    return False


def _texts_of_pairs(subject: _Subject) -> dict[str, Place]:
    """Each text, and where it stands first."""
    found: dict[str, Place] = {}
    for position, pair in enumerate(subject.texts):
        row = position if pair.row < 0 else pair.row
        for text in (pair.a, pair.b):
            found.setdefault(text, Place(subject.texts.name, row, subject.lines.get(row)))
    return found


def _of_texts(reading: Reading) -> TextReading:
    """The reading options of single texts."""
    return TextReading(quoting=reading.quoting, encoding=reading.encoding)


def _single_texts(place: Path, reading: TextReading) -> dict[str, Place]:
    """Each text of a file, or of the files of a folder, and where it stands first."""
    source, found = open_texts(place, reading=reading), dict[str, Place]()
    for file in source.parts if isinstance(source, TextParts) else [source]:
        for text, row, line in file.placed():
            found.setdefault(text, Place(str(file.path), row, line))
    return found


def _placed(texts: Sequence[str], name: str) -> dict[str, Place]:
    """Each text in memory, and where it stands first."""
    found: dict[str, Place] = {}
    for row, text in enumerate(texts):
        found.setdefault(text, Place(name, row))
    return found


def _unknown(reader: NamedReportsUnknown, places: Mapping[str, Place]) -> list[Finding]:
    """The texts of which a model doesn't know enough, those with most unknown tokens first."""
    texts = list(places)
    noticed = [(found, texts[at]) for at, found in reader.unknown(texts).items() if found.noticeable]
    if not noticed:
        return []
    noticed.sort(key=lambda one: -one[0].share)
    examples = (
        Example(
            (places[text],),
            f"{short(text)} ({percent(found.share, 0)} unknown: {short(' '.join(found.parts))})",
        )
        for found, text in noticed[:EXAMPLES]
    )
    message = (
        f"texts of whose tokens {reader.name} doesn't know {percent(NOTICEABLE, 0)} or more: {len(noticed)} "
        f"of {len(texts)} different ones. Don't rely on their scores; choose a model of their language."
    )
    files = (next(iter(places.values())).file,)
    return [Finding(Topic.UNKNOWN_TOKENS, Severity.WARNING, files, len(noticed), message, tuple(examples))]


def _load(place: Path, reading: Reading) -> Loaded[Any]:
    """A file; of candidates all questions, also those that are not measured."""
    return load_data(place, reading=reading, every=True)[1]


def _subject(loaded: Loaded[Any], name: str, reading: Reading, *, is_file: bool = False) -> _Subject:
    """The different pairs of a file or of records by their name, and the lines of rows that have some."""
    kind = data_kind(loaded.data)
    checked, texts = kind.linted(loaded.data), kind.text_pairs(loaded.data)
    if loaded.format == "triplets":
        checked = texts = _stated(checked)
    checked, texts = (replace(pairs, name=name) for pairs in (checked, texts))
    lines = {}
    if is_file and any(pair.row >= 0 for pair in checked):
        lines = {row.row: row.line for row in table_of(Path(name), loaded, reading).rows()}
    return _Subject(checked, checked if texts.texts == checked.texts else texts, lines)


def _stated(pairs: PairSet) -> PairSet:
    """Pairs of triplets, each at its first occurrence; rows repeat anchors and have no ids."""
    said: dict[tuple[str, str, float | None], Pair] = {}
    for pair in pairs:
        said.setdefault(
            (pair.a, pair.b, pair.label), Pair(pair.a, pair.b, pair.label, row=int(pair.id_a) - 1)
        )
    return replace(pairs, pairs=tuple(said.values()))


def _skipped(read: ReadReport) -> Finding:
    """Rows that the reader skipped, which no other check sees."""
    return Finding(
        Topic.SKIPPED_ROW,
        Severity.WARNING,
        (read.path,),
        sum(read.skipped.values()),
        f"{read.sentence()}. Repair these rows, or go on without them.",
        tuple(Example((Place(read.path, -1, skip.line),), skip.reason) for skip in read.examples),
    )
