"""The plots of MovieQA's films, as texts that support the answers to its questions.

They lie beside ``qa.json``, a file each film: ``story/split_plot/KEY.split.wiki`` with a sentence a line, or
``story/plot/KEY.wiki`` with a paragraph a line. KEY is the film's ``imdb_key``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import final

from textkin.base.errors import DataError
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.text_files import lines, status

_PLACES = (("split_plot", ".split.wiki"), ("plot", ".wiki"))
_STORY = "story"
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # what else is a name of no film, or leads elsewhere
_SHOWN, _LONGEST = 3, 40  # keys, and characters of one


@final
@dataclass(frozen=True, slots=True)
class Plots:
    """The plots of films.

    Attributes:
        texts: the sentences or paragraphs of each film's plot, by its key; at least one.
        missing: the keys of films without a plot, or with an empty one.
        folder: where they lie.
    """

    texts: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    folder: Path

    def sentence(self) -> str:
        """How many plots are missing, in words; "" if none is."""
        if not self.missing:
            return ""
        films = len(self.texts) + len(self.missing)
        shown = [*(key[:_LONGEST] for key in self.missing[:_SHOWN]), *["..."] * (len(self.missing) > _SHOWN)]
        return f"{self.folder}: no plot of {len(self.missing):,} of {films:,} films ({', '.join(shown)})"


def has_plots(path: Path | str) -> bool:
    """Whether MovieQA's folder, or that of its ``qa.json``, has a folder of plots."""
    return any(is_folder(_folder(path) / _STORY / place) for place, _ in _PLACES)


def read_plots(path: Path | str, films: Iterable[str]) -> Plots:
    """Read the plots of films; blank lines are no texts.

    Args:
        path: MovieQA's folder, or the ``qa.json`` in it.
        films: their keys; what comes again counts once.

    Raises:
        DataError: there is no folder of plots, or a plot can't be read or is not UTF-8.
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
    """The texts of a film's plot, from the first place that has some."""
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
