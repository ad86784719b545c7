"""Entries run again: a sample of the quick ones, their figures held against those on record."""

from __future__ import annotations

import json
import random
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from results import ROOT
from results.entries import QUICK, Check, Entry, Subject, cell

_NUMBER = re.compile(r"[-+]?\d*\.?\d+")
_INTERVAL = ("value", "low", "high")


def rerun(subjects: Sequence[Subject], *, count: int, seed: int, data: Path) -> int:
    """Rerun a drawn sample and say what differs; 1 if anything does or nothing could be run."""
    quick = [
        entry
        for subject in subjects
        for entry in subject.entries
        if entry.check and entry.check.seconds < QUICK
    ]
    drawn = random.Random(seed).sample(quick, min(count, len(quick)))
    told = [_rerun(entry, entry.check, data) for entry in drawn if entry.check]
    differ, skipped = told.count("differs"), told.count("skipped")
    print(f"{len(told)} of {len(quick)} entries drawn with seed {seed}: {differ} differ, {skipped} skipped")
    return int(differ > 0 or skipped == len(told))


def _rerun(entry: Entry, check: Check, data: Path) -> str:
    missing = [name for each in entry.data for name in each.files if not (data / name).exists()]
    if missing:
        print(f"skipped  {entry.title}: {missing[0]} is not in the folder of data sets")
        return "skipped"
    with tempfile.TemporaryDirectory() as work:
        for command in check.commands:
            arguments = shlex.split(command.format(data=data, work=work))
            called = [sys.executable, "-m", "textkin", *arguments, "--json"]
            done = subprocess.run(called, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"differs  {entry.title}: exit code {done.returncode}, {done.stderr.strip()[-300:]}")
                return "differs"
    wrong = list(differences(entry, check, json.loads(done.stdout)))
    print(
        "\n".join(
            [f"{'differs' if wrong else 'same':<8} {entry.title}", *(f"         {line}" for line in wrong)]
        )
    )
    return "differs" if wrong else "same"


def differences(entry: Entry, check: Check, printed: Any) -> Iterator[str]:
    """What of the figures printed now is not what the table has, one line each."""
    for path, (row, column) in check.figures.items():
        recorded = cell(entry.tables, row, column)
        for number, value in zip(
            _NUMBER.findall(recorded.replace(",", "")), figures_at(printed, path), strict=False
        ):
            if abs(float(number) - value) > (check.tolerance or half_digit(number)):
                yield f"{row}, {column}: {recorded} on record, {value:.5f} now"


def half_digit(number: str) -> float:
    """Half of the last digit of a number as printed, and a hair for rounding."""
    decimals = len(number.partition(".")[2])
    return 0.5 * 10.0**-decimals + 1e-9


def figures_at(printed: Any, path: str) -> list[float]:
    """What a dotted path leads to: a number, or a value with its interval. In lists, the item of that name.

    Raises:
        KeyError: nothing is there.
    """
    for key in path.split("."):
        if isinstance(printed, list):
            found = [item for item in printed if isinstance(item, Mapping) and item.get("name") == key]
            if not found:
                raise KeyError(f"{key} of {path}")
            printed = found[0]
        else:
            printed = printed[key]
    if isinstance(printed, Mapping):
        return [float(printed[part]) for part in _INTERVAL if part in printed]
    return [float(printed)]
