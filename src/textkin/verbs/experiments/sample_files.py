"""The bundled sample as files of the kinds that people have: pairs, texts, candidates, articles, an exam."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.files import atomic_text, ensure_folder
from textkin.base.results import Printed
from textkin.base.text_table import text_table
from textkin.data import samples
from textkin.text.sentences import sentences

PAIRS = ("question1", "question2", "is_duplicate")
CARDS = ("id", "question", "answer")
CANDIDATES = ("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label")
_COPIED = ("questions.tsv", "inbox.txt", "inbox_groups.tsv", "town.json")
# The last passage of each side. Passages are numbered by two digits, so their ids are in order.
_LAST = {"train": "p24", "dev": "p30", "test": "p99"}


@dataclass(frozen=True, slots=True)
class PracticeFiles(Printed):
    """Files to practise on.

    Attributes:
        folder: their folder.
        rows: numbers of rows, texts or questions, by file as seen from the folder.
    """

    folder: Path
    rows: Mapping[str, int]

    def text(self) -> str:
        """A table of the files, and the folder."""
        table = text_table(("file", "rows"), [(name, f"{rows:,}") for name, rows in self.rows.items()])
        return f"{table}\n\nwritten to {self.folder}"

    def as_dict(self) -> dict[str, Any]:
        """The folder, and the rows of each file."""
        return {"folder": self.folder, "rows": self.rows}


def write_practice(out: Path | str) -> PracticeFiles:
    """Write the practice files into a folder."""
    folder = ensure_folder(out)
    written = {"pairs.tsv": write_pairs(folder / "pairs.tsv")}
    for name in _COPIED:
        text = samples.path(name).read_text(encoding="utf-8")
        _write(folder / name, text)
        written[name] = len(text.splitlines()) - name.endswith(".tsv")
    articles = json.loads(samples.path("town.json").read_text(encoding="utf-8"))["data"]
    written["town.json"] = sum(len(part["qas"]) for article in articles for part in article["paragraphs"])
    written |= _candidates(folder) | _exam(folder, articles)
    handbook = ensure_folder(folder / "handbook")
    for article in articles:
        text = "\n\n".join(paragraph["context"] for paragraph in article["paragraphs"])
        _write(handbook / f"{article['title']}.txt", text + "\n")
    return PracticeFiles(folder, written | {"handbook": len(articles)})


def write_pairs(path: Path) -> int:
    """Write the sample's labelled pairs and return their number."""
    return _write_rows(path, PAIRS, samples.pairs())


def _candidates(folder: Path) -> dict[str, int]:
    """Every sentence of a passage as a candidate answer of its questions: all, and parted by passages."""
    rows = list(_candidate_rows())
    written = {"passages.tsv": _write_rows(folder / "passages.tsv", CANDIDATES, rows)}
    sides = ensure_folder(folder / "qa")
    first = ""
    for side, last in _LAST.items():
        part = [row for row in rows if first < str(row[2]) <= last]
        written[f"qa/{side}.tsv"] = _write_rows(sides / f"{side}.tsv", CANDIDATES, part)
        first = last
    return written


def _exam(folder: Path, articles: Sequence[Any]) -> dict[str, int]:
    """Multiple-choice questions about the town, every third one for dev; and what answers can be found in."""
    header, *rows = (line.split("\t") for line in samples.path("exam.tsv").read_text("utf-8").splitlines())
    asked = [question for article in articles for part in article["paragraphs"] for question in part["qas"]]
    cards = [(one["id"], one["question"], one["answers"][0]["text"]) for one in asked if one["answers"]]
    contexts = [part["context"] for article in articles for part in article["paragraphs"]]
    facts = [text[one.start : one.end] for text in contexts for one in sentences(text)]
    sides = ensure_folder(folder / "exam")
    _write(sides / "facts.txt", "".join(f"{fact}\n" for fact in facts))
    return {
        "exam/facts.txt": len(facts),
        "exam/dev.tsv": _write_rows(sides / "dev.tsv", header, rows[::3]),
        "exam/test.tsv": _write_rows(
            sides / "test.tsv", header, [row for n, row in enumerate(rows) if n % 3]
        ),
        "exam/cards.tsv": _write_rows(sides / "cards.tsv", CARDS, cards),
    }


def _candidate_rows() -> Iterable[tuple[str | int, ...]]:
    with samples.path("passages.jsonl").open(encoding="utf-8") as stream:
        passages = [json.loads(line) for line in stream]
    for passage in passages:
        for question in passage["questions"]:
            for place, sentence in enumerate(passage["sentences"]):
                about = question["id"], question["question"], passage["id"], passage["title"]
                label = int(place in question["answers"])
                yield *about, f"{passage['id']}-{place}", sentence, label


def _write_rows(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> int:
    with atomic_text(path) as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return len(rows)


def _write(path: Path, text: str) -> None:
    with atomic_text(path) as stream:
        stream.write(text)
