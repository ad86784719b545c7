"""MovieQA: questions about films with five answers each, one of them correct (``qa.json``).

A question with its answers is a query with candidates, or a multiple-choice question.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from textkin.base.errors import DataError, unknown_choice
from textkin.base.paths import is_file, is_folder
from textkin.base.progress import note
from textkin.data.choice_records import FEWEST, MOST, ChoiceQuestion, ChoiceSet
from textkin.data.readers.candidates import NO_CANDIDATES, Judged, read_judged
from textkin.data.readers.json_document import Node, read_document
from textkin.data.readers.read_options import Questions
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.text_files import head, lines, status
from textkin.data.records import CandidateSet

_NAME = "qa.json"
_SPLITS = ("splits.json", "split.json")


def is_movieqa(path: Path) -> bool:
    """True if this is ``qa.json``, under any name, or a folder with it."""
    if is_folder(path):
        return is_file(path / _NAME)
    start = head(path)
    return start.lstrip()[:1] == b"[" and b'"imdb_key"' in start and b'"answers"' in start


def read_movieqa(
    path: Path | str, *, questions: Questions = "answered", split: str | None = None
) -> Loaded[CandidateSet]:
    """Read MovieQA; a candidate's id is its position among the answers, from 0.

    Args:
        path: ``qa.json`` or its folder.
        questions: "answered", with a correct answer; "mixed", with correct and wrong ones; or "all".
        split: train, val or test: the films that ``splits.json`` in the same folder lists for it; None for
            all. Questions about other films, and those without ``correct_index``, as in test, are skipped and
            counted.

    Raises:
        UsageError: the question set or split is unknown.
        DataError: a file is not JSON of this form, ``correct_index`` is not the index of an answer, or a
            question's id is repeated.
    """
    file = Path(path) / _NAME if is_folder(path) else Path(path)
    films = None if split is None else _films(file.parent, split)
    counter = SkipCounter(file, unit="question")
    name = file.name if split is None else f"{file.name} {split}"
    rows = _rows(read_document(file), films, counter)
    return read_judged(rows, counter, questions, source=name, format="movieqa")


def read_movieqa_choices(path: Path | str, *, split: str | None = None) -> Loaded[ChoiceSet]:
    """Read MovieQA as multiple-choice questions.

    Blank answers are not choices. Plots next to the file are support.

    Args:
        path: as in :func:`read_movieqa`.
        split: as in :func:`read_movieqa`. Questions about other films are skipped and counted. Those without
            a known answer, as in test, are kept.

    Raises:
        UsageError: the split is unknown.
        DataError: a file is not JSON of this form, a question has fewer than two choices, or an id is
            repeated.
    """
    file = Path(path) / _NAME if is_folder(path) else Path(path)
    films = None if split is None else _films(file.parent, split)
    counter = SkipCounter(file, unit="question")
    asked = list[tuple[Node, str]]()
    for number, item in enumerate(read_document(file).items(), 1):
        counter.rows += 1
        film = item.member("imdb_key").text()
        if films is None or film in films:
            asked.append((item, film))
        else:
            counter.skip(number, "question of another split")
    plots = read_plots(file, [film for _, film in asked]) if has_plots(file) else None
    if plots is not None and plots.missing:
        note(plots.sentence())
    found = dict[str, ChoiceQuestion]()
    for item, film in asked:
        one = _choices(item, () if plots is None else plots.texts.get(film, ()))
        if one.question_id in found:
            raise item.fault(f"the id {one.question_id!r} comes twice", fix="make the ids unique")
        found[one.question_id] = one
    if not found:
        raise DataError("holds no questions", path=file, fix="give at least one")
    name = file.name if split is None else f"{file.name} {split}"
    return Loaded(ChoiceSet(tuple(found.values()), name), counter.report(), "movieqa")


def _choices(item: Node, support: tuple[str, ...]) -> ChoiceQuestion:
    """A question with its choices."""
    answers = [answer.text() if answer.is_there else "" for answer in item.member("answers").items()]
    kept = [place for place, answer in enumerate(answers) if answer.strip()]
    right = item.member("correct_index").whole() if item.member("correct_index").is_there else None
    if not FEWEST <= len(kept) <= MOST or (right is not None and right not in kept):
        raise item.fault(
            f"{len(kept)} answers, right one {right}", fix=f"give {FEWEST} to {MOST} and one of them"
        )
    return ChoiceQuestion(
        item.member("qid").text(),
        item.member("question").text(),
        tuple(answers[place] for place in kept),
        None if right is None else kept.index(right),
        support,
    )


def _films(folder: Path, split: str) -> frozenset[str]:
    found = next((folder / name for name in _SPLITS if is_file(folder / name)), None)
    if found is None:
        raise DataError(f"holds no {_SPLITS[0]}, which says what {split!r} is", path=folder, fix="add it")
    splits = dict(read_document(found).entries())
    if split not in splits:
        raise unknown_choice("split", split, splits)
    return frozenset(film.text() for film in splits[split].items())


def _rows(document: Node, films: frozenset[str] | None, counter: SkipCounter) -> Iterator[Judged]:
    for number, item in enumerate(document.items(), 1):
        answers = [answer.text() if answer.is_there else "" for answer in item.member("answers").items()]
        counter.rows += max(1, len(answers))
        if reason := _reason(item, answers, films):
            for _ in answers or [""]:
                counter.skip(number, reason)
            continue
        right = item.member("correct_index").whole()
        if not 0 <= right < len(answers):
            raise item.fault(f"correct_index {right}, expected 0 to {len(answers) - 1}")
        query_id, question = item.member("qid").text(), item.member("question").text()
        for place, answer in enumerate(answers):
            yield Judged(number, query_id, question, str(place), answer, int(place == right))


def _reason(item: Node, answers: list[str], films: frozenset[str] | None) -> str:
    """The reason why a question is skipped, or ""."""
    if not answers:
        return NO_CANDIDATES
    if films is not None and item.member("imdb_key").text() not in films:
        return "answer to a question of another split"
    return "" if item.member("correct_index").is_there else "answer to a question whose right one is not told"


_PLACES = (("split_plot", ".split.wiki"), ("plot", ".wiki"))
_STORY = "story"
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # other names may lead to other folders
_SHOWN, _LONGEST = 3, 40  # keys, and characters of one


@dataclass(frozen=True, slots=True)
class Plots:
    """The plots of films.

    Attributes:
        texts: sentences or paragraphs of each film's plot, by key; at least one.
        missing: keys of films without a plot, or with an empty one.
        folder: folder of the plots.
    """

    texts: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    folder: Path

    def sentence(self) -> str:
        """The number of missing plots in words; "" if none is missing."""
        if not self.missing:
            return ""
        films = len(self.texts) + len(self.missing)
        shown = [*(key[:_LONGEST] for key in self.missing[:_SHOWN]), *["..."] * (len(self.missing) > _SHOWN)]
        return f"{self.folder}: no plot of {len(self.missing):,} of {films:,} films ({', '.join(shown)})"


def has_plots(path: Path | str) -> bool:
    """True if MovieQA's folder, or that of its ``qa.json``, has a folder of plots."""
    return any(is_folder(_folder(path) / _STORY / place) for place, _ in _PLACES)


def read_plots(path: Path | str, films: Iterable[str]) -> Plots:
    """Read the plots of films, without blank lines.

    Args:
        path: MovieQA's folder, or the ``qa.json`` in it.
        films: keys of the films; repetitions are ignored.

    Raises:
        DataError: the folder of plots is missing, or a plot can't be read or is not UTF-8.
    """
    folder = _folder(path) / _STORY
    if not has_plots(path):
        raise DataError(
            f"holds no plots: neither {' nor '.join(f'{_STORY}/{place}' for place, _ in _PLACES)}",
            path=_folder(path),
            fix="put MovieQA's folder of stories beside qa.json",
        )
    found = {film: _plot(folder, film) for film in dict.fromkeys(films)}
    return Plots(
        texts={film: texts for film, texts in found.items() if texts},
        missing=tuple(film for film, texts in found.items() if not texts),
        folder=folder,
    )


def _plot(folder: Path, film: str) -> tuple[str, ...]:
    """The texts of a film's plot, from the first location that has any."""
    if not _KEY.fullmatch(film):
        return ()
    for place, ending in _PLACES:
        file = folder / place / f"{film}{ending}"
        if is_file(file) and status(file).st_size:
            texts = tuple(text for line in lines(file) if (text := line.strip()))
            if texts:
                return texts
    return ()


def _folder(path: Path | str) -> Path:
    return Path(path) if is_folder(path) else Path(path).parent
