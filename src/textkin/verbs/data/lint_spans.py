"""Lint questions about passages: unusable and repeated questions, and leaks between files."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from textkin.base.spelling import spelt
from textkin.base.text_equality import Equal, key_of
from textkin.data.readers.read_report import Loaded
from textkin.data.span_records import SpanSet
from textkin.data.splits.findings import Example, Finding, Place, Severity, Topic
from textkin.data.splits.lint_checks import EXAMPLES, short

_Named = Mapping[str, tuple[str, str]]
"""The id and the text of each passage, or question, by its key."""


def lint_spans(files: Mapping[str, Loaded[SpanSet]], *, equal: Equal = Equal.LETTERS) -> Iterator[Finding]:
    """Check questions about passages for errors, and for passages and questions that two sets share.

    Args:
        files: the data, by file, or by the name of records.
        equal: when two texts are the same text.
    """
    earlier: dict[str, tuple[_Named, _Named]] = {}
    for path, loaded in files.items():
        yield from _left_out(path, loaded)
        yield from _repeated(path, loaded.data, equal)
        yield from _unanswered(path, loaded.data)
        texts = {key_of(one.text, equal): (name, one.text) for name, one in loaded.data.passages.items()}
        asked = {key_of(one.question, equal): (one.question_id, one.question) for one in loaded.data}
        for other, (other_texts, other_asked) in earlier.items():
            yield from _shared("passages", (other, path), (other_texts, texts), Severity.ERROR)
            yield from _shared("questions", (other, path), (other_asked, asked), Severity.WARNING)
        earlier[path] = (texts, asked)


def _left_out(path: str, loaded: Loaded[SpanSet]) -> Iterator[Finding]:
    report = loaded.report
    if report.skipped:
        yield Finding(
            Topic.SKIPPED_ROW,
            Severity.WARNING,
            (path,),
            sum(report.skipped.values()),
            f"questions that no model learns from or is measured on: {report.rows - report.kept:,} of "
            f"{report.rows:,}. Correct their offsets and texts, or go on without them.",
            tuple(Example((_place(path, skip.name),), skip.reason) for skip in report.examples),
        )


def _repeated(path: str, data: SpanSet, equal: Equal) -> Iterator[Finding]:
    """Questions that are repeated about the same passage."""
    asked: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in data:
        passage = key_of(data.passages[one.passage_id].text, equal)
        asked[passage, key_of(one.question, equal)].append(one.question_id)
    again = [names for names in asked.values() if len(names) > 1]
    if again:
        texts = {one.question_id: one.question for one in data}
        yield Finding(
            Topic.REPEATED_QUESTION,
            Severity.WARNING,
            (path,),
            len(again),
            f"questions that are asked again about the same passage: {len(again):,}. Keep one each.",
            tuple(
                Example(tuple(_place(path, name) for name in names[:EXAMPLES]), short(texts[names[0]]))
                for names in again[:EXAMPLES]
            ),
        )


def _unanswered(path: str, data: SpanSet) -> Iterator[Finding]:
    """Count the questions without an answer in the passage, and those not marked so."""
    none = sum(not one.answers for one in data)
    untold = [one for one in data if not one.answers and not one.is_impossible]
    if none:
        yield Finding(
            Topic.LABEL_SHARE,
            Severity.INFO,
            (path,),
            none,
            f"questions whose passage holds no answer: {none:,} of {len(data):,}.",
        )
    if untold:
        yield Finding(
            Topic.MISSING_LABEL,
            Severity.WARNING,
            (path,),
            len(untold),
            f"questions without an answer that are not marked is_impossible: {len(untold):,}. They count as "
            "not answered. Add the answers, or the mark.",
            tuple(
                Example((_place(path, one.question_id),), short(one.question)) for one in untold[:EXAMPLES]
            ),
        )


def _shared(
    what: str,
    files: tuple[str, str],
    texts: tuple[_Named, _Named],
    severity: Severity,
) -> Iterator[Finding]:
    """Texts that both files have; each with its id in either file."""
    both = [(found, texts[1][key]) for key, found in texts[0].items() if key in texts[1]]
    if both:
        yield Finding(
            Topic.SHARED_TEXT,
            severity,
            files,
            len(both),
            f"{what} in both files, case and punctuation aside: {len(both):,}. "
            + spelt("To split whole articles: `split()` with `scheme=articles`."),
            tuple(
                Example((_place(files[0], one), _place(files[1], other)), short(text))
                for (one, text), (other, _) in both[:EXAMPLES]
            ),
        )


def _place(path: str, name: str) -> Place:
    return Place(f"{path} {name}", -1)
