"""The plots of MovieQA's films, as support for the answers to its questions.

They lie next to ``qa.json``, one file per film: ``story/split_plot/KEY.split.wiki`` with one sentence per
line, or ``story/plot/KEY.wiki`` with one paragraph per line. KEY is the film's ``imdb_key``.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from textkin.base.errors import DataError
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.text_files import lines, status

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
