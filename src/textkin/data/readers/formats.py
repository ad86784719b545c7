"""The table of formats: the module, content and options of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textkin.base.errors import DataError
from textkin.base.paths import is_folder
from textkin.base.sharded_files import PARTS, parts_of


class Holds(StrEnum):
    """Content of a format's files."""

    PAIRS = "pairs"
    CANDIDATES = "candidates"
    CORPUS = "a corpus"
    DUPLICATES = "duplicates"
    SUITE = "a suite of three"


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Attributes:
        module: its module in this package, with the function ``read_<name>`` and, except for ``pairs``, the
            test ``is_<name>``, where the name is the last part of the module's.
        holds: type of data that its reader returns.
        options: options of its reader.
        is_table: True if its test takes an open ``Table``, False if it takes a path.
    """

    module: str
    holds: Holds = Holds.PAIRS
    options: tuple[str, ...] = ()
    is_table: bool = True

    @property
    def reader(self) -> Callable[..., Any]:
        """The function that reads the format."""
        return self._function("read")

    @property
    def test(self) -> Callable[..., bool]:
        """The function that detects the format."""
        return self._function("is")

    def _function(self, verb: str) -> Callable[..., Any]:
        module = import_module(f"textkin.data.readers.{self.module}")
        return getattr(module, f"{verb}_{self.module.rpartition('.')[2]}")


TABLE: Mapping[str, Format] = MappingProxyType(
    {
        "pairs": Format("pairs", options=("columns", "quoting", "encoding")),
        "quora": Format("datasets.quora"),
        "nli": Format("datasets.nli"),
        "sick": Format("datasets.sick", options=("labels", "split")),
        "sts": Format("datasets.sts"),
        "triplets": Format("triplets", Holds.CANDIDATES, ("quoting", "encoding")),
        "wikiqa": Format("datasets.wikiqa", Holds.CANDIDATES, ("questions", "reference")),
        "ranking": Format("ranking", Holds.CANDIDATES, ("questions", "columns", "quoting", "encoding")),
        "trecqa": Format("datasets.trecqa", Holds.CANDIDATES, ("questions",), is_table=False),
        "insuranceqa": Format(
            "datasets.insuranceqa",
            Holds.CANDIDATES,
            ("questions", "split", "negatives", "seed"),
            is_table=False,
        ),
        "semeval": Format(
            "datasets.semeval", Holds.CANDIDATES, ("questions", "labels", "repeats"), is_table=False
        ),
        "movieqa": Format("datasets.movieqa", Holds.CANDIDATES, ("questions", "split"), is_table=False),
        "beir": Format("datasets.beir", Holds.CORPUS, ("split",), is_table=False),
        "duplicates": Format("datasets.duplicates", Holds.DUPLICATES, ("split",), is_table=False),
        "quora-ir": Format("datasets.quora_ir", Holds.SUITE, ("split",), is_table=False),
    }
)
"""All formats by name, in detection order; ``pairs`` is the fallback."""


def detect(path: Path | str) -> str:
    """Detect the format of a file or folder from its content: a key of ``TABLE``.

    Raises:
        DataError: the file can't be read, is a folder of unknown format, or contains SQuAD's questions.
    """
    from textkin.data.readers.datasets.squad import is_squad
    from textkin.data.readers.table import open_table
    from textkin.data.readers.text_files import status

    status(path)
    place = Path(path)
    for name, format in TABLE.items():
        if not format.is_table and format.test(place):
            return name
    if is_folder(place) and not parts_of(place):
        folders = (
            "BEIR (corpus.jsonl, queries.jsonl), InsuranceQA, TREC-QA (a.toks, b.toks, ...), MovieQA, "
            "duplicates (test_corpus.tsv, test_duplicates.tsv), a split by the scheme quora-ir"
        )
        raise DataError(
            "is a folder of no known format",
            path=path,
            fix=f"give a file, a folder with files called {PARTS}, or one of: {folders}",
        )
    if not is_folder(place) and is_squad(place):
        raise DataError(
            "holds SQuAD's questions, whose answers are spans of passages",
            path=path,
            fix="make candidates of it with `convert()`",
        )
    table = open_table(path)
    tests = {name: format.test for name, format in TABLE.items() if format.is_table and name != "pairs"}
    return next((name for name, test in tests.items() if test(table)), "pairs")
