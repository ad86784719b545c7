"""Corpora of choosers: questions with answers, and sentences that support a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import COLUMN_FILES, DataError, invalid
from textkin.base.json_fields import flag, strings, text, whole
from textkin.base.paths import is_folder
from textkin.models.choosers.support import DEPTH
from textkin.models.ensembles.ensemble_folder import SavedEnsemble, from_folder, to_folder
from textkin.models.interop.folder_kinds import ENSEMBLE

TABLES = frozenset({".tsv", ".csv", ".jsonl", *COLUMN_FILES})
"""What of a folder is read."""

_PLACES, _SCORERS = ("corpus", "support"), ("question_scorer", "answer_scorer")


@dataclass(frozen=True, slots=True)
class Corpora:
    """Corpora that choosers search.

    Attributes:
        corpus: files of questions with their answers, or folders of such tables, for ``lucene`` and
            ``lucene-best-pair``.
        support: files of sentences, or folders of tables with them, for ``support:MODEL``.
        k: number of most similar questions that vote.
        question_scorer: a model or baseline to compare questions with, instead of Lucene's score.
        answer_scorer: likewise answers and choices.
        depth: number of sentences found by Lucene's score to compare with a choice, where the model of
            ``support:MODEL`` can't search itself, such as a cross-encoder.
        keep_leaks: keep entries of the corpus that are in the exam, exactly or nearly.

    Raises:
        UsageError: ``k`` or ``depth`` is below 1.

    Example:
        >>> Corpora(k=10).corpus
        ()
    """

    corpus: tuple[Path, ...] = ()
    support: tuple[Path, ...] = ()
    k: int = 100
    question_scorer: str | None = None
    answer_scorer: str | None = None
    keep_leaks: bool = False
    depth: int = DEPTH

    def asked(self) -> bool:
        """True if there is a corpus to search."""
        return self != Corpora()

    def to_dict(self, folder: Path) -> dict[str, Any]:
        """For JSON in the directory of an ensemble; paths are from there."""
        places = {name: [to_folder(path, folder) for path in getattr(self, name)] for name in _PLACES}
        return {**places, "k": self.k, "depth": self.depth, "keep_leaks": self.keep_leaks} | {
            name: to_folder(Path(model), folder) if is_folder(model) else model
            for name in _SCORERS
            if (model := getattr(self, name)) is not None
        }

    @classmethod
    def of_ensemble(cls, saved: SavedEnsemble, folder: Path) -> Corpora:
        """The corpora that an ensemble was fitted with; empty if it was fitted without.

        Raises:
            ModelError: the manifest makes no sense.
        """
        given, path = saved.looked_up, folder / ENSEMBLE
        if not given:
            return cls()

        def scorer(name: str) -> str | None:
            model = text(given, name, path) if name in given else None
            return str(place) if model and is_folder(place := from_folder(model, folder)) else model

        corpus, support = (
            tuple(from_folder(one, folder) for one in strings(given, name, path)) for name in _PLACES
        )
        question, answer = map(scorer, _SCORERS)
        kept = flag(given, "keep_leaks", path)
        depth = whole(given, "depth", path, least=1) if "depth" in given else DEPTH
        return cls(corpus, support, whole(given, "k", path), question, answer, kept, depth)

    def __post_init__(self) -> None:
        for name in ("k", "depth"):
            if getattr(self, name) < 1:
                raise invalid("voters" if name == "k" else name, getattr(self, name), expected="at least 1")


def tables_in(places: Sequence[Path]) -> list[Path]:
    """Files, and of folders the tables.

    Raises:
        DataError: a folder holds none.
    """
    found: list[Path] = []
    for place in places:
        if not is_folder(place):
            found.append(place)
            continue
        tables = sorted(path for path in place.iterdir() if path.suffix in TABLES)
        if not tables:
            raise DataError(
                f"holds no file called *{', *'.join(sorted(TABLES))}", path=place, fix="give files of texts"
            )
        found += tables
    return found
