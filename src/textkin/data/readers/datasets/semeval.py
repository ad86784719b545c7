"""SemEval-2016 task 3, subtask A: forum questions with ten comments each, good or bad, in XML.

The same file serves subtasks B and C, so a related question is repeated for every original question that it
is related to. Such threads have a mark that excludes them from subtask A, because the same question occurs
elsewhere in the release: in this file, or in another part. Without marked threads you get the official
question set (dev: 244 questions), with disjoint parts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args
from xml.parsers import expat

from textkin.base.errors import DataError, unknown_choice
from textkin.base.paths import is_folder
from textkin.data.readers.candidates import NO_CANDIDATES, Judged, read_judged
from textkin.data.readers.read_options import Questions, Repeats
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.text_files import head, read_bytes
from textkin.data.records import CandidateSet

Labels = Literal["good", "graded"]

_RELEVANCE: Mapping[Labels, Mapping[str, int]] = {
    "good": {"Good": 1, "PotentiallyUseful": 0, "Bad": 0},
    "graded": {"Good": 2, "PotentiallyUseful": 1, "Bad": 0},
}
_MARK = "SubtaskA_Skip_Because_Same_As_RelQuestion_ID"
_TEXTS = frozenset({"RelQSubject", "RelQBody", "RelCText"})


def is_semeval(path: Path) -> bool:
    """True if this is a file of related questions with comments."""
    start = b"" if is_folder(path) else head(path)
    return start.lstrip()[:1] == b"<" and b"RelQuestion" in start and b"RelComment" in start


def read_semeval(
    path: Path | str,
    *,
    questions: Questions = "answered",
    labels: Labels = "good",
    repeats: Repeats = "official",
) -> Loaded[CandidateSet]:
    """Read related questions (subject and body, joined by a space) with their comments.

    Args:
        path: an XML file of the task, with gold labels.
        questions: "answered", with at least one relevant comment; "mixed", also with others; or "all".
        labels: "good" as in the task: 1 for Good, else 0; "graded": 1 for PotentiallyUseful, 2 for Good.
        repeats: "official" excludes the marked threads; "once" keeps the first occurrence of each question in
            this file, marked or not: more training data, but other parts may contain the same questions.
            Excluded threads are skipped and counted.

    Raises:
        UsageError: an option has an unknown value.
        DataError: the XML is invalid or defines entities, a label is unknown, or an id is repeated.
    """
    for chosen, known, what in ((labels, Labels, "labels"), (repeats, Repeats, "repeats")):
        if chosen not in get_args(known):
            raise unknown_choice(what, chosen, get_args(known))
    place = Path(path)
    counter = SkipCounter(place)
    rows = _rows(_threads(place), counter, _RELEVANCE[labels], repeats)
    kept = "unmarked threads" if repeats == "official" else "each question once"
    kept += ", graded labels" if labels == "graded" else ""
    return read_judged(rows, counter, questions, source=f"{place.name}, {kept}", format="semeval")


@dataclass(slots=True)
class _Comment:
    line: int
    comment_id: str
    label: str
    texts: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Thread:
    line: int
    is_marked: bool
    query_id: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    comments: list[_Comment] = field(default_factory=list)

    @property
    def query(self) -> str:
        """Subject and body."""
        return " ".join(filter(None, (self.texts.get(name, "") for name in ("RelQSubject", "RelQBody"))))


def _rows(
    threads: list[_Thread], counter: SkipCounter, relevance: Mapping[str, int], repeats: Repeats
) -> Iterator[Judged]:
    seen: set[str] = set()
    for thread in threads:
        reason = ""
        if not thread.comments:
            reason = NO_CANDIDATES
        elif repeats == "official" and thread.is_marked:
            reason = "comment of a thread that is marked as a repetition"
        elif repeats == "once" and thread.query in seen:
            reason = "comment of a thread that repeats an earlier question"
        if thread.comments:
            seen.add(thread.query)
        counter.rows += max(1, len(thread.comments))
        if not thread.comments:
            counter.skip(thread.line, reason)
        for comment in thread.comments:
            if comment.label not in relevance:
                raise counter.fault(
                    f"label {comment.label[:40]!r} of comment {comment.comment_id!r}, expected "
                    f"{', '.join(relevance)}",
                    comment.line,
                    fix="give the file with gold labels",
                )
            if reason:
                counter.skip(comment.line, reason)
            else:
                yield Judged(
                    comment.line,
                    thread.query_id,
                    thread.query,
                    comment.comment_id,
                    comment.texts.get("RelCText", ""),
                    relevance[comment.label],
                )


def _threads(path: Path) -> list[_Thread]:
    """All threads of a file.

    Entity definitions are rejected: with them, a small file could expand without limit.
    """
    content = read_bytes(path)
    parser = expat.ParserCreate("utf-8")
    builder = _Builder(parser, path)
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.EntityDeclHandler = builder.entity
    parser.StartDoctypeDeclHandler = builder.doctype
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise DataError(
            f"broken XML: {expat.ErrorString(error.code)} (column {error.offset + 1})",
            path=path,
            line=error.lineno,
            fix="fetch the file again if it was cut off",
        ) from error
    if not builder.threads:
        raise DataError("holds no <Thread>", path=path, fix="give a file of SemEval-2016 task 3")
    return builder.threads


class _Builder:
    """A builder of threads from parser events."""

    def __init__(self, parser: expat.XMLParserType, path: Path) -> None:
        self.threads: list[_Thread] = []
        self._parser = parser
        self._path = path
        self._text: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        line = self._parser.CurrentLineNumber
        if name == "Thread":
            self.threads.append(_Thread(line, _MARK in attributes))
        elif name == "RelQuestion":
            if (thread := self._thread(name)).query_id:
                raise self._fault("a second <RelQuestion> in a <Thread>")
            thread.query_id = self._attribute(name, attributes, "RELQ_ID")
        elif name == "RelComment":
            comment_id = self._attribute(name, attributes, "RELC_ID")
            label = self._attribute(name, attributes, "RELC_RELEVANCE2RELQ")
            if not (thread := self._thread(name)).query_id:
                raise self._fault("<RelComment> before the <RelQuestion> of its <Thread>")
            thread.comments.append(_Comment(line, comment_id, label))
        elif name in _TEXTS:
            self._text = []

    def characters(self, text: str) -> None:
        """Handle text, if it belongs to a question or comment."""
        if self._text is not None:
            self._text.append(text)

    def end(self, name: str) -> None:
        """Handle the end of an element."""
        if name not in _TEXTS or self._text is None:
            return
        text, self._text = "".join(self._text).strip(), None
        thread = self._thread(name)
        if name == "RelCText" and not thread.comments:
            raise self._fault("<RelCText> outside a <RelComment>")
        texts = thread.comments[-1].texts if name == "RelCText" else thread.texts
        if name in texts:
            raise self._fault(f"a second <{name}> of one question or comment")
        texts[name] = text

    def entity(self, name: str, *_: object) -> None:
        """Reject an entity definition."""
        raise self._fault(f"defines the entity {name!r}, and files with entities are not read")

    def doctype(self, _: str, system_id: str | None, *__: object) -> None:
        """Reject an external document type."""
        if system_id is not None:
            raise self._fault(f"refers to the file {system_id!r}, and no other file is read")

    def _thread(self, name: str) -> _Thread:
        if not self.threads:
            raise self._fault(f"<{name}> outside a <Thread>")
        return self.threads[-1]

    def _attribute(self, name: str, attributes: Mapping[str, str], key: str) -> str:
        if not attributes.get(key):
            raise self._fault(f"<{name}> has no {key}")
        return attributes[key]

    def _fault(self, message: str) -> DataError:
        line = self._parser.CurrentLineNumber
        return DataError(message, path=self._path, line=line, fix="give a file of SemEval-2016 task 3")
