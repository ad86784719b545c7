"""WikiQA: questions with the sentences of one page as candidates; seven tab-separated columns."""

from collections.abc import Iterator
from pathlib import Path

from textkin.base.errors import DataError, conflict
from textkin.base.paths import name_of
from textkin.data.readers.candidates import Judged, binary_label, gather, read_judged
from textkin.data.readers.columns import find_column, has_names
from textkin.data.readers.read_options import Questions
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import Table, as_pairs_of, open_table
from textkin.data.readers.trec import read_qrels
from textkin.data.records import Candidates, CandidateSet

NAMES = ("QuestionID", "Question", "SentenceID", "Sentence", "Label")


def is_wikiqa(table: Table) -> bool:
    """True if the header is WikiQA's."""
    return has_names(table.header, *(name.lower() for name in NAMES))


def read_wikiqa(
    path: Path | str, *, questions: Questions = "answered", reference: Path | str | None = None
) -> Loaded[CandidateSet]:
    """Read WikiQA; a question is a run of rows with one QuestionID.

    Metrics depend on the question set, which is why the name of the result includes it (test file: 243
    answered, 237 mixed, 633 all). The report counts rows of the file. Questions outside of the set are not
    skips.

    Args:
        path: WikiQA-{train,dev,test}.tsv.
        questions: "answered", with at least one correct sentence; "mixed", with correct and wrong ones; or
            "all".
        reference: an official ``.ref`` file that defines the question set. ``WikiQA-test-filtered.ref``
            contains the 237 "mixed" questions.

    Raises:
        UsageError: the question set is unknown, or given together with a reference.
        DataError: the header is not WikiQA's, a label is neither 0 nor 1, a question is not contiguous, an id
            is repeated, or the reference doesn't match the file.
    """
    if reference is not None and questions != "answered":
        raise conflict("reference", "questions", why="`reference` says which questions are measured")
    table = open_table(path)
    if not is_wikiqa(table):
        raise DataError(f"expected a header with {', '.join(NAMES)}", path=path, fix=as_pairs_of())
    counter = SkipCounter(path)
    rows = _rows(table, counter)
    if reference is None:
        return read_judged(rows, counter, questions, source=name_of(table.path), format="wikiqa")
    name = f"{name_of(table.path)}, questions of {Path(reference).name}"
    data = CandidateSet(_referred(list(gather(rows, counter)), reference), name)
    return Loaded(data, counter.report(), "wikiqa")


def _rows(table: Table, counter: SkipCounter) -> Iterator[Judged]:
    question_id, question, sentence_id, sentence, label = (
        find_column(table.header, table.width, name) for name in NAMES
    )
    for row in table.rows(counter):
        cells = row.fields
        relevance = binary_label(cells[label], row.line, counter)
        yield Judged(
            row.line,
            *(cells[question_id], cells[question], cells[sentence_id], cells[sentence]),
            relevance,
            row.row,
        )


def _referred(found: list[Candidates], reference: Path | str) -> tuple[Candidates, ...]:
    """The questions listed in a reference file, by position: questions from 1, their sentences from 0."""
    chosen = []
    for place, judged in read_qrels(reference).to_dict().items():
        number = int(place) if place.isdecimal() else 0
        if not 1 <= number <= len(found):
            raise DataError(
                f"question {place[:40]!r}, where the file has questions 1 to {len(found)}",
                path=reference,
                fix="give the reference of the same split",
            )
        question = found[number - 1]
        labels = {str(sentence): label for sentence, label in enumerate(question.labels)}
        if judged != labels:
            raise DataError(
                f"question {place} has {_shown(judged)}, and {question.query_id}, which stands there in the "
                f"file, has {_shown(labels)}",
                path=reference,
                fix="give the reference of the same split",
            )
        chosen.append(question)
    return tuple(chosen)


def _shown(labels: dict[str, int]) -> str:
    right = [sentence for sentence, label in labels.items() if label]
    return f"{len(labels)} sentences, right ones {', '.join(right) or 'none'}"
