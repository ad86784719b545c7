"""TREC-QA: factoid questions with candidate sentences, in its two layouts.

* The pseudo-XML files of jacana (such as ``train-less-than-40.manual-edit.xml``): ``<QApairs id='1.4'>``
  contains one ``<question>`` and any number of ``<positive>`` and ``<negative>``. The first line of each
  block has the tokens, separated by tabs. The other lines (part of speech, dependencies, names) are not read.
* A folder of token files, one line per pair: ``a.toks`` for the question, ``b.toks`` for the candidate,
  ``sim.txt`` for 0 or 1, ``id.txt`` for the question's id, and optionally ``numrels.txt`` for the number of
  correct candidates of each question.

A candidate's id is the number of its pair in the file, from 0, as in the judgements distributed with the
folders. The raw set of papers has all questions, the clean set those of "mixed".
"""

import re
from collections.abc import Iterator
from itertools import count, groupby, zip_longest
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import unescape

from textkin.base.errors import DataError
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.candidates import NO_CANDIDATES, Judged, binary_label, read_judged
from textkin.data.readers.read_options import Questions
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.text_files import head, lines
from textkin.data.records import CandidateSet

_FILES = ("a.toks", "b.toks", "sim.txt", "id.txt")
_OPEN = re.compile(r"""<QApairs\s+id\s*=\s*(['"])(.+?)\1\s*>""")
_CLOSE = "</QApairs>"
_BLOCKS = ("question", "positive", "negative")
_CUT = "fetch the file again if it was cut off"


def is_trecqa(path: Path) -> bool:
    """True if this is one of jacana's files or a folder of token files."""
    if is_folder(path):
        return all(is_file(path / name) for name in _FILES)
    return b"<QApairs" in head(path)


def read_trecqa(path: Path | str, *, questions: Questions = "answered") -> Loaded[CandidateSet]:
    """Read TREC-QA; tokens are joined by spaces.

    Args:
        path: a pseudo-XML file, or a folder of token files.
        questions: "answered", with at least one correct sentence; "mixed", with correct and wrong ones; or
            "all".

    Raises:
        UsageError: the question set is unknown.
        DataError: a block is not closed or unknown, a label is neither 0 nor 1, the files of a folder differ
            in length, or a question is not contiguous.
    """
    place = Path(path)
    counter = SkipCounter(place)
    rows = _folder_rows(place, counter) if is_folder(place) else _file_rows(place, counter)
    return read_judged(rows, counter, questions, source=place.name, format="trecqa")


class _Block(NamedTuple):
    line: int
    kind: str
    text: str


def _file_rows(path: Path, counter: SkipCounter) -> Iterator[Judged]:
    numbered = iter(enumerate(lines(path), 1))
    pairs = count()
    for number, line in numbered:
        opened = _OPEN.fullmatch(line.strip())
        if opened is None:
            if line.strip() and (not line.lstrip().startswith("<") or "QApairs" in line):
                raise counter.fault(f"expected <QApairs id='...'>, found {line[:40]!r}", number, fix=_CUT)
            continue
        blocks = list(_blocks(numbered, number, counter))
        if [block.kind for block in blocks].count("question") != 1 or blocks[0].kind != "question":
            raise counter.fault(
                f"question {opened[2]!r}: expected one <question>, before the candidates", number, fix=_CUT
            )
        if len(blocks) == 1:
            counter.rows += 1
            counter.skip(number, NO_CANDIDATES)
        for block in blocks[1:]:
            counter.rows += 1
            label = int(block.kind == "positive")
            yield Judged(block.line, opened[2], blocks[0].text, str(next(pairs)), block.text, label)


def _blocks(numbered: Iterator[tuple[int, str]], opened: int, counter: SkipCounter) -> Iterator[_Block]:
    """The blocks up to the end of a question."""
    for number, line in numbered:
        tag = line.strip()
        if tag == _CLOSE:
            return
        kind = tag[1:-1]
        if tag and (kind not in _BLOCKS or tag != f"<{kind}>"):
            known = ", ".join(f"<{name}>" for name in _BLOCKS)
            raise counter.fault(f"found {line[:40]!r}, expected {known} or {_CLOSE}", number, fix=_CUT)
        if tag:
            yield _Block(number, kind, _first_line(numbered, number, kind, counter))
    raise counter.fault("this <QApairs> is not closed", opened, fix=_CUT)


def _first_line(numbered: Iterator[tuple[int, str]], opened: int, kind: str, counter: SkipCounter) -> str:
    """The tokens of a block, whose other lines are skipped."""
    text: str | None = None
    for _, line in numbered:
        if line.strip() == f"</{kind}>":
            return unescape(" ".join((text or "").split()), {"&quot;": '"', "&apos;": "'"})
        if line.strip() == _CLOSE:
            break
        text = line if text is None else text
    raise counter.fault(f"this <{kind}> is not closed", opened, fix=_CUT)


def _folder_rows(folder: Path, counter: SkipCounter) -> Iterator[Judged]:
    rights: list[int] = []
    for _, group in groupby(_pairs(folder, counter), key=lambda row: row.query_id):
        rights.append(0)
        for row in group:
            rights[-1] += row.label
            yield row
    numrels = folder / "numrels.txt"
    if is_file(numrels):
        told = [line.strip() for line in lines(numrels)]
        for number, (right, found) in enumerate(zip_longest(told, map(str, rights), fillvalue="none"), 1):
            if right != found:
                raise DataError(
                    f"says {right[:20]} right candidates of question {number}, sim.txt has {found}",
                    path=numrels,
                    line=number,
                    fix="take both files from one source, or remove numrels.txt",
                )


def _pairs(folder: Path, counter: SkipCounter) -> Iterator[Judged]:
    columns = zip_longest(*(lines(folder / name) for name in _FILES))
    for number, cells in enumerate(columns, 1):
        if None in cells:
            ended = ", ".join(name for name, cell in zip(_FILES, cells, strict=True) if cell is None)
            raise DataError(
                f"ends before line {number}, which the others have ({ended})", path=folder, fix=_CUT
            )
        query, candidate, label, query_id = cells
        counter.rows += 1
        if not query_id.strip():
            raise counter.fault("id.txt has no id here", number, fix="repair id.txt")
        relevance = binary_label(label, number, counter)
        yield Judged(number, query_id.strip(), query, str(number - 1), candidate, relevance)
