"""Runs and reports below a folder, each with its verdict. Nothing that lies elsewhere is looked at.

Files may be anybody's: their own descriptions are shown, never trusted.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

from textkin.base.errors import DataError
from textkin.base.json_records import json_object
from textkin.base.paths import exists, is_folder, open_regular, real
from textkin.report.page_frame import FIGURES, GENERATOR
from textkin.report.runs_page import KIND, FoundRun
from textkin.verbs.dedupe.deduped_file import REPORT
from textkin.verbs.dedupe.output_files import ACCOUNT, REMOVED, SAMPLE
from textkin.verbs.dedupe.review.review import DECISIONS, DedupeReview

_DEEPEST = 6  # folders in folders
_MOST = 2_000  # reports
_MOST_FILES = 200_000  # that are looked at
_HEAD = 16_384  # bytes at the beginning of a report; its metadata come before its style
_LONGEST = 1_000  # characters of a title or verdict
_MOST_BYTES = 200_000_000  # of a report
_NAME, _MOST_FIGURES = 200, 40  # characters of a figure's name and value; figures
_BEGINS = b"<!doctype html>\n<html"


@dataclass(frozen=True, slots=True)
class RunsFolder:
    """A folder in which runs lie, in folders of any names.

    Args:
        path: the folder.

    Raises:
        DataError: there is none.
    """

    path: Path

    def __post_init__(self) -> None:
        if not is_folder(self.path):
            raise DataError("is not a folder", path=self.path, fix="name the folder in which runs lie")

    def runs(self) -> list[FoundRun]:
        """All reports of textkin below the folder, the latest first; 2,000 at most."""
        found: list[FoundRun] = []
        for place in self._pages():
            if (one := _found(self.path, place)) is not None:
                found.append(one)
            if len(found) == _MOST:
                break
        return sorted(found, key=lambda one: (-one.changed, one.name))

    def report(self, name: str) -> str:
        """The report of a run.

        Raises:
            DataError: there is none of that name below the folder, or it is not a report of textkin.
        """
        place = self.inside(name)
        content = _read(place, _MOST_BYTES + 1)
        if content is None or len(content) > _MOST_BYTES or not content.startswith(_BEGINS):
            raise DataError("is not a report of textkin", path=name)
        try:
            return content.decode("utf-8")
        except ValueError as error:
            raise DataError("is not UTF-8", path=name) from error

    def inside(self, name: str) -> Path:
        """The path of an entry below the folder; links that leave it are refused.

        Raises:
            DataError: nothing is there.
        """
        parts = PurePosixPath(name).parts
        if name and "\0" not in name and not name.startswith("/") and ".." not in parts:
            root, place = real(self.path), real(self.path / name)
            if place.is_relative_to(root) and exists(place):
                return place
        raise DataError(f"there is no {name[:200]!r} here", fix="name a run of the list")

    def dedupe(self, name: str) -> DedupeReview:
        """A deduplication, to go through its groups.

        Raises:
            DataError: there is none of that name below the folder, or it can't be read.
        """
        folder = self.inside(name)
        for file in (ACCOUNT, REMOVED, SAMPLE, DECISIONS):
            self._require_regular(folder / file, name)
        return DedupeReview(folder)

    def version(self, name: str) -> tuple[int, ...]:
        """The version of a deduplication, which differs when it is made again.

        Raises:
            DataError: there is none of that name below the folder.
        """
        account = self.inside(name) / ACCOUNT
        self._require_regular(account, name)
        try:
            found = account.lstat()
        except OSError:
            raise DataError(f"there is no deduplication {name[:200]!r} here", fix="see GET /runs") from None
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _require_regular(self, file: Path, name: str) -> None:
        """Refuse a run's file that isn't regular, since reading it might block.

        Raises:
            DataError: it is a link, a pipe, a device or a folder.
        """
        try:
            is_regular = stat.S_ISREG(file.lstat().st_mode)
        except FileNotFoundError:
            return
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", path=f"{name[:200]}/{file.name}") from error
        if not is_regular:
            raise DataError(
                "is not a regular file", path=f"{name[:200]}/{file.name}", fix="put the file itself there"
            )

    def _pages(self) -> Iterator[Path]:
        """All files that may be reports; no link is followed, and nothing hidden is looked at."""
        seen = 0
        for folder, folders, files in os.walk(self.path, followlinks=False):
            here = Path(folder)
            deep = len(here.relative_to(self.path).parts)
            folders[:] = [] if deep >= _DEEPEST else sorted(one for one in folders if one[0] != ".")
            seen += len(files)
            yield from (here / one for one in sorted(files) if one.endswith(".html") and one[0] != ".")
            if seen > _MOST_FILES:
                return


def _found(root: Path, place: Path) -> FoundRun | None:
    """Description of a report from its own metadata; None if it is not a report of textkin."""
    content = _read(place, _HEAD)
    if content is None or not content.startswith(_BEGINS):
        return None
    about = _Head()
    about.feed(content.decode("utf-8", "replace"))
    made_by, _, kind = about.metas.get("generator", "").partition(";")
    if made_by != GENERATOR or kind.strip() == KIND:
        return None
    name = place.relative_to(root).as_posix()
    folder = None
    if kind.strip() == "deduplication" and place.name == REPORT and (place.parent / ACCOUNT).is_file():
        folder = place.parent.relative_to(root).as_posix()
    return FoundRun(
        name=name,
        kind=kind.strip()[:40],
        title=about.title.strip()[:_LONGEST] or name,
        verdict=about.metas.get("description", "")[:_LONGEST],
        changed=place.stat().st_mtime,
        folder=folder,
        figures=_figures(about.metas.get(FIGURES, "")),
    )


def _figures(content: str) -> dict[str, str]:
    """The figures of a report; none if they are no object of texts."""
    found = json_object(content) or {}
    told = [(str(name)[:_NAME], str(value)[:_NAME]) for name, value in found.items() if value]
    return dict(told[:_MOST_FIGURES])


def _read(place: Path, most: int) -> bytes | None:
    """The first bytes of a regular file; None of anything else, such as a link or an unreadable file."""
    try:
        with open_regular(place) as stream:
            return stream.read(most)
    except OSError:
        return None


class _Head(HTMLParser):
    """Title and metas of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.metas: dict[str, str] = {}
        self.title = ""
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Note a meta, once."""
        given = dict(attrs)
        self._in_title = tag == "title"
        if tag == "meta" and given.get("name"):
            self.metas.setdefault(str(given["name"]), given.get("content") or "")

    def handle_endtag(self, tag: str) -> None:
        """End the title."""
        self._in_title = self._in_title and tag != "title"

    def handle_data(self, data: str) -> None:
        """Note the title."""
        if self._in_title:
            self.title += data
