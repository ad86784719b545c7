"""Lint questions about passages: unusable and repeated questions, and leaks between files."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from textkin.base.spelling import spelt
from textkin.base.text_equality import Equal, key_of
from textkin.data.readers.read_report import Loaded
from textkin.data.span_records import SpanSet
from textkin.data.splits.findings import Example, Finding, Place, Severity, Topic
from textkin.data.splits.lint_checks import EXAMPLES, short


def lint_spans(files: Mapping[Path, Loaded[SpanSet]], *, equal: Equal = Equal.LETTERS) -> Iterator[Finding]:
    """Check SQuAD files for errors, and for passages and questions that two of them share.

    Args:
        files: the data that were read, by file.
        equal: when two texts are the same text.
    """
    earlier: dict[Path, tuple[dict[str, str], dict[str, str]]] = {}
    for path, loaded in files.items():
        yield from _left_out(path, loaded)
        yield from _repeated(path, loaded.data, equal)
        yield from _unanswered(path, loaded.data)
        texts = {key_of(one.text, equal): name for name, one in loaded.data.passages.items()}
        asked = {key_of(one.question, equal): one.question_id for one in loaded.data}
        for other, (other_texts, other_asked) in earlier.items():
            yield from _shared("passages", (other, path), (other_texts, texts), Severity.ERROR)
            yield from _shared("questions", (other, path), (other_asked, asked), Severity.WARNING)
        earlier[path] = (texts, asked)


def _left_out(path: Path, loaded: Loaded[SpanSet]) -> Iterator[Finding]:
    report = loaded.report
    if report.skipped:
        yield Finding(
            Topic.SKIPPED_ROW,
            Severity.WARNING,
            (str(path),),
            sum(report.skipped.values()),
            f"questions that no model learns from or is measured on: {report.rows - report.kept:,} of "
            f"{report.rows:,}. Correct their offsets and texts, or go on without them.",
            tuple(Example((_place(path, skip.name),), skip.reason) for skip in report.examples),
        )


def _repeated(path: Path, data: SpanSet, equal: Equal) -> Iterator[Finding]:
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
            (str(path),),
            len(again),
            f"questions that are asked again about the same passage: {len(again):,}. Keep one each.",
            tuple(
                Example(tuple(_place(path, name) for name in names[:EXAMPLES]), short(texts[names[0]]))
                for names in again[:EXAMPLES]
            ),
        )


def _unanswered(path: Path, data: SpanSet) -> Iterator[Finding]:
    """Count the questions without an answer in the passage, and those not marked so."""
    none = sum(not one.answers for one in data)
    untold = [one for one in data if not one.answers and not one.is_impossible]
    if none:
        yield Finding(
            Topic.LABEL_SHARE,
            Severity.INFO,
            (str(path),),
            none,
            f"questions whose passage holds no answer: {none:,} of {len(data):,}.",
        )
    if untold:
        yield Finding(
            Topic.MISSING_LABEL,
            Severity.WARNING,
            (str(path),),
            len(untold),
            f"questions without an answer that are not marked is_impossible: {len(untold):,}. They count as "
            "not answered. Add the answers, or the mark.",
            tuple(
                Example((_place(path, one.question_id),), short(one.question)) for one in untold[:EXAMPLES]
            ),
        )


def _shared(
    what: str,
    files: tuple[Path, Path],
    texts: tuple[Mapping[str, str], Mapping[str, str]],
    severity: Severity,
) -> Iterator[Finding]:
    """Texts that both files have, by their keys; each with its id in either file."""
    both = [key for key in texts[0] if key in texts[1]]
    if both:
        yield Finding(
            Topic.SHARED_TEXT,
            severity,
            tuple(map(str, files)),
            len(both),
            f"{what} in both files, case and punctuation aside: {len(both):,}. "
            + spelt("To split whole articles: `split()` with `scheme=articles`."),
            tuple(
                Example((_place(files[0], texts[0][key]), _place(files[1], texts[1][key])), short(key))
                for key in both[:EXAMPLES]
            ),
        )


def _place(path: Path, name: str) -> Place:
    return Place(f"{path} {name}", -1)
