"""Convert data into candidates to rank, in the form of WikiQA's files.

SQuAD-T: the sentences of a paragraph are the candidates of its questions, and the sentence that holds the
answer is the right one (Min et al., Question answering through transfer learning from large fine-grained
supervision data, 2017).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from textkin.base.errors import DataError, inapplicable, invalid, is_column_file
from textkin.base.files import atomic_text, refuse_overwriting
from textkin.base.paths import shown_output
from textkin.base.progress import track
from textkin.base.results import Summary
from textkin.base.table_writer import written_table
from textkin.data.readers.datasets.squad import is_squad, read_squad
from textkin.data.readers.text_files import lines
from textkin.data.span_records import Span, SpanSet
from textkin.text.sentences import SentenceSpan, sentences

Source = Literal["auto", "json", "nqg"]

NEIGHBOURS = 5

_HEADER = ("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label")
_BLANKS = str.maketrans("\t\r\n", "   ")
_NO_ANSWER = "the passage does not answer it"
_ACROSS = "no answer lies within one sentence"
_SCATTERED = "annotators point to more than two sentences"
_TIED = "annotators point to two sentences equally often"
_EMPTY = "an empty text"


@dataclass(frozen=True, slots=True, repr=False)
class Converted(Summary):
    """Result of a conversion; ``questions == written + sum(dropped.values())``.

    Attributes:
        source: the file that was read.
        out: the file that was written.
        questions: number of questions in the source.
        written: number of these in the result.
        sentences: their candidates in all.
        right: number of correct candidates.
        dropped: questions that were left out, by reason.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.convert(samples.path("town.json"), out="again.tsv")
        >>> found.questions == found.written + sum(found.dropped.values())
        True
    """

    source: str
    out: str
    questions: int
    written: int
    sentences: int
    right: int
    dropped: Mapping[str, int]

    def text(self) -> str:
        """The counts, questions that were left out by reason, and the file."""
        left_out = [f"left out {count:,}: {reason}" for reason, count in self.dropped.items()]
        written = (
            f"{self.written:,} questions with {self.sentences:,} sentences, {self.right:,} of them right"
        )
        first = f"{self.source}: {self.questions:,} questions"
        return "\n".join([first, *left_out, f"written to {shown_output(self.out)}: {written}"])


def convert_squad_t(
    source: Path | str, out: Path | str, *, format: Source = "auto", neighbours: int | None = None
) -> Converted:
    """Make SQuAD-T, which ``data.readers.datasets.wikiqa`` reads.

    Of SQuAD's JSON, the candidates are the sentences of the paragraph, and right is the one that holds the
    whole answer, by its character offsets. An annotator whose answer crosses sentences is not heard. Where
    annotators differ, the sentence of most of them is right. Questions without such a sentence are dropped
    and counted, and so are those whose annotators point to more than two.

    Of the lines of Du et al. (``src-dev.txt`` holds sentences, ``tgt-dev.txt`` the questions made of them),
    the right candidate is the question's own sentence, the others are distinct sentences of the lines around
    it. The files keep the order of the articles, so these are mostly of the same article; one of them may
    hold the answer too. Candidates stand in the order of their lines. How many of them stand before the right
    one changes from line to line, so that its position tells nothing.

    Args:
        source: SQuAD's JSON, or a file of sentences, ``src-NAME.txt``.
        out: the file to write.
        format: "json", "nqg", or "auto" to find out.
        neighbours: for nqg, the number of wrong candidates of a question; ``NEIGHBOURS`` if None.

    Raises:
        UsageError: an argument that does not fit the format.
        DataError: the source has errors.
        OutputError: the file can't be written.
    """
    place = Path(source)
    refuse_overwriting([Path(out)], [place])
    dropped: Counter[str] = Counter()
    if format == "json" or (format == "auto" and is_squad(place)):
        if neighbours is not None:
            raise inapplicable("neighbours", to="SQuAD's form, whose questions have their paragraphs")
        loaded = read_squad(place)
        dropped.update(loaded.report.skipped)
        made = _of_spans(loaded.data, dropped)
    else:
        count = NEIGHBOURS if neighbours is None else neighbours
        made = _of_lines(place, count, dropped)
    written, rows, right = _write(Path(out), made)
    total = written + sum(dropped.values())
    return Converted(str(source), str(out), total, written, rows, right, dict(dropped.most_common()))


class _Question(NamedTuple):
    question_id: str
    question: str
    document_id: str
    title: str
    candidates: Sequence[tuple[str, str]]  # id and text of each sentence
    right: int


def _of_spans(data: SpanSet, dropped: Counter[str]) -> Iterator[_Question]:
    found: dict[str, list[SentenceSpan]] = {}
    for question in track(data, title="cutting into sentences", total=len(data)):
        passage = data.passages[question.passage_id]
        if passage.passage_id not in found:
            found[passage.passage_id] = sentences(passage.text)
        spans = found[passage.passage_id]
        right = _vote(spans, question.answers)
        if isinstance(right, str):
            dropped[right] += 1
            continue
        candidates = [
            (f"{passage.passage_id}-{number}", passage.text[span.start : span.end])
            for number, span in enumerate(spans)
        ]
        yield _Question(
            question.question_id, question.question, passage.passage_id, passage.title, candidates, right
        )


def _vote(spans: Sequence[SentenceSpan], answers: Sequence[Span]) -> int | str:
    """The number of the sentence that most answers lie in, or why there is none."""
    votes = Counter(
        number
        for answer in answers
        for number, span in enumerate(spans)
        if span.start <= answer.start and answer.end <= span.end
    )
    if not votes:
        return _ACROSS if answers else _NO_ANSWER
    if len(votes) > 2:
        return _SCATTERED
    (first, most), *others = votes.most_common()
    return _TIED if others and others[0][1] == most else first


def _of_lines(path: Path, count: int, dropped: Counter[str]) -> Iterator[_Question]:
    if not path.name.startswith("src-"):
        raise invalid(
            "source", path, expected="a file of sentences called src-NAME.txt, with questions in tgt-NAME.txt"
        )
    told, asked = list(lines(path)), list(lines(path.with_name("tgt-" + path.name.removeprefix("src-"))))
    if len(told) != len(asked):
        raise DataError(
            f"{len(told):,} lines, and {len(asked):,} in the file of questions",
            path=path,
            fix="take both files from one copy",
        )
    name = path.name.removeprefix("src-").partition(".")[0]
    told = [sentence.strip() for sentence in told]
    first: dict[str, int] = {}
    for place, sentence in enumerate(told):
        first.setdefault(sentence, place)
    for place, (sentence, question) in enumerate(zip(told, asked, strict=True)):
        if not (sentence and question.strip()):
            dropped[_EMPTY] += 1
            continue
        chosen = sorted(first[one] for one in (sentence, *_around(told, place, count)))
        candidates = [(f"{name}-{number + 1}", told[number]) for number in chosen]
        right = chosen.index(first[sentence])
        yield _Question(f"{name}-{place + 1}", question.strip(), name, "", candidates, right)


def _around(told: Sequence[str], place: int, count: int) -> list[str]:
    """Distinct other sentences near a line; from line to line, one more of them comes from before it."""
    before, after = (
        _distinct(told, places, told[place], count)
        for places in (range(place - 1, -1, -1), range(place + 1, len(told)))
    )
    chosen = dict.fromkeys(before[: place % (count + 1)])
    for sentence in (*after, *before):
        if len(chosen) < count:
            chosen[sentence] = None
    return list(chosen)


def _distinct(told: Sequence[str], places: Iterable[int], own: str, count: int) -> list[str]:
    """The first ``count`` sentences of some lines, blank ones and ``own`` aside."""
    found: dict[str, None] = {}
    for place in places:
        if told[place] not in ("", own):
            found[told[place]] = None
            if len(found) == count:
                break
    return list(found)


@contextmanager
def _rows_of(out: Path) -> Iterator[Callable[[tuple[str | int, ...]], object]]:
    """Open a writer of rows: TSV, unless the name is that of a column file."""
    if is_column_file(out):
        with written_table(out, _HEADER) as writer:
            yield lambda row: writer.write([row])
        return
    with atomic_text(out) as stream:
        stream.write("\t".join(_HEADER) + "\n")
        yield lambda row: stream.write("\t".join(str(cell).translate(_BLANKS) for cell in row) + "\n")


def _write(out: Path, made: Iterator[_Question]) -> tuple[int, int, int]:
    """Write questions; return the numbers of questions, candidates and right ones."""
    questions = rows = right = 0
    with _rows_of(out) as write:
        for one in made:
            questions += 1
            for number, (sentence_id, sentence) in enumerate(one.candidates):
                label = int(number == one.right)
                rows, right = rows + 1, right + label
                write((*one[:4], sentence_id, sentence, label))
        if not questions:
            raise DataError(f"nothing to write to {out}: no question is left", fix="give other data")
    return questions, rows, right
