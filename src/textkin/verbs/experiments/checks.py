"""Checks of a folder: its hashes, and its report against a recomputed one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import VerifyError, said
from textkin.base.files import sha256_of_file
from textkin.base.paths import is_file
from textkin.base.results import Summary
from textkin.report.content import StudyReport
from textkin.report.write import written_forms
from textkin.verbs.experiments.study_folder import HASHES, study_json

AGAIN = "run it again"
_SAME_FIGURE = 1e-9
_SAME_SCORE = 1e-5  # another CPU or thread count sums in another order
_HIDDEN = ("style", "script")
_COSTS = frozenset({"seconds", "parameters"})


@dataclass(frozen=True, slots=True, repr=False)
class Verified(Summary):
    """Figures, scores and files that were checked and found equal.

    Attributes:
        folder: the run directory.
        files: files whose hash is as recorded.
        figures: numbers of the report that were computed again from the scores: figures, intervals, tests,
            threshold, plots.
        scores: scores that the saved model gave again.
        largest_change: largest change of a score.
        same_code: textkin's code is the one that made the folder.

    Example:
        >>> from textkin.verbs import Verified
        >>> from dataclasses import fields
        >>> [field.name for field in fields(Verified)][:4]
        ['folder', 'files', 'figures', 'scores']
    """

    folder: Path
    files: int
    figures: int
    scores: int
    largest_change: float
    same_code: bool

    def text(self) -> str:
        """The numbers that were checked, in a sentence."""
        return (
            f"{self.files} files are as recorded, {self.figures} figures come out the same, and the saved "
            f"model gives {self.scores:,} scores again (largest change {self.largest_change:.1g})"
        )


def check_hashes(root: Path, *, needed: Sequence[str]) -> int:
    """Check every recorded hash, and count them.

    Raises:
        DataError: the folder is not finished.
        VerifyError: a file is missing or changed, or one of ``needed`` has no hash.
    """
    recorded = study_json(root / HASHES)
    for name, digest in recorded.items():
        path = root / name
        if not is_file(path):
            raise VerifyError("is missing", path=path, fix=AGAIN)
        if sha256_of_file(path) != digest:
            raise VerifyError(
                "is not the file that was written", path=path, fix=AGAIN, expected="the file that was written"
            )
    for name in needed:
        if name not in recorded:
            raise VerifyError(f"has no hash of {name}", path=root / HASHES, fix=AGAIN)
    return len(recorded)


def check_figures(recorded: StudyReport, again: StudyReport) -> int:
    """Compare two reports, costs aside, and count the numbers compared.

    Raises:
        VerifyError: they differ; the message names the first difference.
    """
    return check_values(again.to_dict(), recorded.to_dict(), "report")


def check_values(again: Any, recorded: Any, what: str) -> int:
    """Compare two structures of JSON, costs aside, and count the numbers compared.

    Raises:
        VerifyError: they differ; the message names the first difference.
    """
    checked = 0
    for where, found, expected in _leaves(again, recorded, what):
        if isinstance(found, float) and isinstance(expected, float):
            checked += 1
            if abs(found - expected) <= _SAME_FIGURE:
                continue
        elif found == expected:
            continue
        raise VerifyError(
            f"{where} comes out as {found!r}, recorded is {expected!r}",
            fix=AGAIN,
            params=(where,),
            value=found,
        )
    return checked


def check_reports(root: Path, report: StudyReport, *, same_code: bool) -> int:
    """Make the files of a report again from its figures, compare them, and count them.

    Other code may lay pages out in another way: of these the words and figures are compared.

    Raises:
        VerifyError: one differs; the message names it.
    """
    forms = written_forms(report)
    for name, again in forms.items():
        check_text(root / name, again, same_code=same_code)
    return len(forms)


def check_text(path: Path, again: str, *, same_code: bool) -> None:
    """Compare a file with its expected text.

    Raises:
        VerifyError: it differs, or can't be read.
    """
    try:
        recorded = path.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise VerifyError(f"can't be read: {said(error)}", path=path, fix=AGAIN) from error
    if recorded == again or (not same_code and _words(recorded) == _words(again)):
        return
    other = "" if same_code else "; other code made the folder, so that it may put this in other words"
    raise VerifyError(
        f"does not say what the figures of report.json say{other}",
        path=path,
        fix=AGAIN,
        expected="the figures of report.json",
    )


def _words(text: str) -> list[str]:
    """The visible text of a page: without tags, styles and scripts."""
    shown = _Shown()
    shown.feed(text)
    shown.close()
    return " ".join(shown.parts).split()


class _Shown(HTMLParser):
    """The texts of a page that a reader sees."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Drop the contents of styles and scripts."""
        self._hidden += tag in _HIDDEN

    def handle_endtag(self, tag: str) -> None:
        """Resume after a hidden element."""
        self._hidden -= tag in _HIDDEN

    def handle_data(self, data: str) -> None:
        """Take a text."""
        self.parts += [] if self._hidden else [data]


def check_scores(model: Path, found: Floats, recorded: Floats) -> float:
    """The largest change of a recorded score; both of shape [pairs].

    Raises:
        VerifyError: a score differs by more than another order of sums explains.
    """
    change = float(np.abs(recorded - found).max())
    limit = _SAME_SCORE * max(1.0, float(np.abs(recorded).max()))
    if not change <= limit:
        raise VerifyError(
            f"{model} scores a test pair {change:.2g} away from what is recorded, expected at most {limit:g}",
            fix=AGAIN,
        )
    return change


def _leaves(found: Any, recorded: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """The single values of two like structures, with their place, without costs. JSON has no tuples."""
    if isinstance(found, dict) and isinstance(recorded, dict) and found.keys() == recorded.keys():
        for key in found.keys() - _COSTS:
            yield from _leaves(found[key], recorded[key], f"{where}.{key}")
    elif isinstance(found, list | tuple) and isinstance(recorded, list) and len(found) == len(recorded):
        for place, (one, other) in enumerate(zip(found, recorded, strict=True)):
            name = one.get("name", place) if isinstance(one, dict) else place
            yield from _leaves(one, other, f"{where}[{name}]")
    else:
        yield where, found, recorded
