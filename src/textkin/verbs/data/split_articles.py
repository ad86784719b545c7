"""Split a file of SQuAD by articles, and report it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import UsageError, invalid
from textkin.base.files import atomic_files, refuse_overwriting, sha256_of_file, write_json
from textkin.base.paths import name_of
from textkin.base.results import Result, ResultRow
from textkin.data.readers.datasets.squad import article_of, read_squad, title_of
from textkin.data.readers.json_document import read_document
from textkin.data.span_records import SpanSet
from textkin.data.splits.articles import SIDES, ArticleCounts, sides_like, sides_of_titles
from textkin.version import __version__

_ACCOUNT = "split.json"


@dataclass(frozen=True, slots=True)
class ArticleSide:
    """One side: the titles of its articles, and its size."""

    titles: tuple[str, ...]
    passages: int
    questions: int
    impossible: int


@dataclass(frozen=True, slots=True, repr=False)
class ArticleSplit(Result):
    """Contents of ``split.json`` of a split by articles.

    Attributes:
        textkin: version that made the split.
        input: the name of the file.
        sha256: its hash.
        seed: seed of the shuffle; None where another split was followed.
        like: the folder of the other split that was followed.
        sides: facts on train, dev and test.
        shared_passages: paragraphs whose text stands on more than one side.
        shared_questions: questions whose text stands on more than one side.
        files: SHA-256 of each file.

    Example:
        >>> import json, textkin as tk
        >>> from pathlib import Path
        >>> about = {"context": "It opens at nine.", "qas": []}
        >>> data = [{"title": f"Page {number}", "paragraphs": [about]} for number in range(3)]
        >>> _ = Path("pages.json").write_text(json.dumps({"version": "1.1", "data": data}))
        >>> sizes = {"dev_size": 1, "test_size": 1}
        >>> found = tk.split("pages.json", out="by-article", scheme="articles", **sizes)
        >>> [row["articles"] for row in found.rows()], found.shared_passages
        ([1, 1, 1], 1)
    """

    textkin: str
    input: str
    sha256: str
    seed: int | None
    like: str | None
    sides: Mapping[str, ArticleSide]
    shared_passages: int
    shared_questions: int
    files: Mapping[str, str]

    def _rows(self) -> Iterator[ResultRow]:
        for name, side in self.sides.items():
            counts = {"passages": side.passages, "questions": side.questions, "impossible": side.impossible}
            yield {"side": name, "articles": len(side.titles), **counts}

    def _said(self) -> tuple[str, ...]:
        shared = f"{self.shared_passages:,} paragraphs, {self.shared_questions:,} questions"
        return (f"on more than one side: {shared}",)

    def text(self) -> str:
        """A table of the sides, and the files."""
        return f"{self}\nwritten: {', '.join([*self.files, _ACCOUNT])}"

    def as_dict(self) -> dict[str, Any]:
        """The contents of ``split.json``."""
        return asdict(self)


def split_articles(
    data: Path | str,
    *,
    out: Path | str,
    dev: float | None = None,
    test: float | None = None,
    seed: int = 42,
    like: Path | str | None = None,
) -> ArticleSplit:
    """Split a file of SQuAD into three such files by whole articles.

    Args:
        data: the path of the file.
        out: the folder for ``train.json``, ``dev.json``, ``test.json`` and ``split.json``.
        dev: number of articles for dev.
        test: number of articles for test; all others are for train.
        seed: another seed gives another split.
        like: the folder of another such split, whose titles are followed; then without ``dev`` and ``test``.

    Raises:
        UsageError: the sizes of dev and test are missing or given twice; a file would be overwritten.
        DataError: the file is none of SQuAD, or can't be split so.
        OutputError: the files can't be written.

    Example:
        >>> import json
        >>> from pathlib import Path
        >>> pages = [{"title": title, "paragraphs": []} for title in ("Ada", "Bob", "Cy")]
        >>> _ = Path("squad.json").write_text(json.dumps({"version": "1.1", "data": pages}))
        >>> report = split_articles("squad.json", out="articles", dev=1, test=1)
        >>> sorted(report.files)
        ['dev.json', 'test.json', 'train.json']
    """
    counts = None if dev is None and test is None else _counts(dev or 0, test or 0)
    if (counts is None) == (like is None):
        raise UsageError(
            "a split by articles needs their numbers in dev and test, or another split to follow",
            fix="give `dev_size` and `test_size`, or `like`",
            params=("dev_size", "test_size", "like"),
        )
    spans = read_squad(data, every=True).data
    document = read_document(data)
    articles = list(document.member("data").items())
    titles = [title_of(article) for article in articles]
    if like is not None:
        places = sides_like(titles, {name: _titles_in(Path(like) / f"{name}.json") for name in SIDES})
    else:
        places = sides_of_titles(titles, counts or ArticleCounts(0, 0), seed=seed)
    folder = Path(out)
    names = {name: f"{name}.json" for name in SIDES}
    files = [folder / file for file in (*names.values(), _ACCOUNT)]
    refuse_overwriting(files, [data], fix="choose another folder")
    shared = [_shared(_texts(spans, places, of)) for of in ("passages", "questions")]
    with atomic_files(folder, last=_ACCOUNT) as temporary:
        for name, file in names.items():
            side = {**document.value, "data": [articles[place].value for place in places[name]]}
            (temporary / file).write_text(json.dumps(side, ensure_ascii=False) + "\n", encoding="utf-8")
        report = ArticleSplit(
            textkin=__version__,
            input=name_of(data),
            sha256=sha256_of_file(data),
            seed=None if like is not None else seed,
            like=None if like is None else str(like),
            sides={name: _facts(spans, titles, places[name]) for name in SIDES},
            shared_passages=shared[0],
            shared_questions=shared[1],
            files={file: sha256_of_file(temporary / file) for file in names.values()},
        )
        write_json(temporary / _ACCOUNT, asdict(report))
    return report


def _counts(dev: float, test: float) -> ArticleCounts:
    """The numbers of articles in dev and test.

    Raises:
        UsageError: one is not a whole number.
    """
    for name, size in (("dev_size", dev), ("test_size", test)):
        if size != int(size):
            raise invalid(name, size, expected="a whole number of articles")
    return ArticleCounts(int(dev), int(test))


def _titles_in(path: Path) -> list[str]:
    return [title_of(article) for article in read_document(path).member("data").items()]


def _facts(data: SpanSet, titles: Sequence[str], places: Sequence[int]) -> ArticleSide:
    inside = {str(place) for place in places}
    asked = [one for one in data if article_of(one.passage_id) in inside]
    return ArticleSide(
        titles=tuple(titles[place] for place in places),
        passages=sum(article_of(one) in inside for one in data.passages),
        questions=len(asked),
        impossible=sum(one.is_impossible for one in asked),
    )


def _texts(data: SpanSet, places: Mapping[str, Sequence[int]], of: str) -> list[set[str]]:
    """The texts of the passages, or of the questions, on each side."""
    side = {str(place): number for number, name in enumerate(SIDES) for place in places[name]}
    found: list[set[str]] = [set() for _ in SIDES]
    if of == "passages":
        for key, passage in data.passages.items():
            found[side[article_of(key)]].add(passage.text)
    else:
        for one in data:
            found[side[article_of(one.passage_id)]].add(one.question)
    return found


def _shared(sides: Sequence[set[str]]) -> int:
    """Count the texts that are on more than one side."""
    counts = Counter(text for side in sides for text in side)
    return sum(count > 1 for count in counts.values())
