"""The verdicts of the programs in examples/ on a model, for the vectors that anybody would get from it."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np

from textkin.kinds.systems.open_folder import open_model
from textkin.models.passports.canaries import Canaries
from textkin.models.passports.making import passport_of
from textkin.text.baselines.user_objects import given

EXAMPLES = Path(__file__).parents[3] / "examples"


def python_says(*arguments: str) -> int:
    kept, sys.argv = sys.argv, ["check_passport.py", *arguments]
    try:
        with redirect_stdout(StringIO()):
            return int(runpy.run_path(str(EXAMPLES / "check_passport.py"))["main"]())
    finally:
        sys.argv = kept


def node_says(*arguments: str) -> int | None:
    """The exit code; None without Node.js."""
    if (node := shutil.which("node")) is None:
        return None
    command = [node, str(EXAMPLES / "check_passport.mjs"), *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode


def programs_say(system, passport: Path, work: Path, *, as_lines: bool = False) -> tuple[int, int | None]:
    """The exit codes of both programs, None for Node.js if it is missing."""
    values = json.loads(passport.read_text(encoding="utf-8"))["canaries"]
    canaries = Canaries(values["version"], tuple(values["texts"]))
    opened = open_model(system) if isinstance(system, Path) else given(system)
    rows = dict(passport_of(opened, canaries=canaries).says)
    rows.setdefault("query", rows["document"])
    settings = opened.settings() if hasattr(opened, "settings") else {}
    if settings.get("arguments", {}).get("normalize") is False:  # textkin's own are of unit length always
        rows = {side: found * np.linspace(0.5, 3, len(found))[:, None] for side, found in rows.items()}
    arguments = [str(passport)]
    for side, option in (("document", "--vectors"), ("query", "--queries")):
        if as_lines:
            place = work / f"{side}.jsonl"
            place.write_text("".join(f"{row.tolist()}\n" for row in rows[side]))
        else:
            place = work / f"{side}.npy"
            np.save(place, rows[side])
        arguments += [option, str(place)]
    return python_says(*arguments), node_says(*arguments)
