"""Tell whether a model is the one that a passport was made for; needs NumPy only. See README.md."""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]


def stored(values: dict[str, Any]) -> Rows:
    """The rows that a passport holds."""
    numbers = np.frombuffer(base64.b64decode(values["float32"], validate=True), dtype="<f4")
    rows: Rows = numbers.reshape(values["shape"]).astype(np.float64)
    return rows


def given(path: Path) -> Rows:
    """The rows in a file: NumPy's, or JSON lines."""
    if path.suffix == ".npy":
        rows = np.load(path, allow_pickle=False)
    else:
        rows = np.array([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line])
    rows = rows.astype(np.float64)
    return rows[:, None] if rows.ndim == 1 else rows


def compare(side: str, ours: Rows, theirs: Rows, rule: dict[str, Any]) -> tuple[str, bool]:
    """What was found on one side, in words, and whether the rule accepts it."""
    if ours.shape != theirs.shape:
        return f"{side}: shape {list(theirs.shape)}, expected {list(ours.shape)}", False
    if not np.isfinite(theirs).all():
        return f"{side}: a number is not finite", False
    if rule["measure"] == "difference":
        gaps = np.abs(ours - theirs).max(axis=1)
        worst = float(gaps.max())
        return f"{side}: largest difference {worst:.6f}, bound {rule['bound']:.6g}", worst <= rule["bound"]
    a, b = np.linalg.norm(ours, axis=1), np.linalg.norm(theirs, axis=1)
    neither = (a == 0) & (b == 0)
    lengths = a * b
    products = (ours * theirs).sum(axis=1)
    cosines = np.divide(products, lengths, out=np.where(neither, 1.0, 0.0), where=lengths > 0)
    off = float((np.abs(a - b) / np.where(a > 0, a, 1.0)).max())
    worst = float(cosines.min())
    said = (
        f"{side}: mean cosine {cosines.mean():.6f}, lowest {worst:.6f} (canary {int(cosines.argmin()) + 1}), "
        f"bound {rule['bound']:.6g}; lengths differ by {off:.2%}, bound {rule['length']:.2%}"
    )
    return said, worst >= rule["bound"] and off <= rule["length"]


def differing(folder: Path, files: dict[str, str]) -> list[str]:
    """The files of a passport that are not in a folder, or differ."""
    found = []
    for name, expected in sorted(files.items()):
        path = folder / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            found.append(f"{name} differs")
    return found


def check(arguments: argparse.Namespace) -> int:
    """Check, print, and return the exit code."""
    passport = json.loads(arguments.passport.read_text(encoding="utf-8"))
    if passport.get("kind") != "passport" or passport.get("format") != 1:
        raise ValueError(f"{arguments.passport} is no passport of format 1")
    says, accepted = passport["says"], True
    for side, path in (("document", arguments.vectors), ("query", arguments.queries)):
        if path is not None:
            said, kept = compare(
                side, stored(says.get(side, says["document"])), given(path), passport["rule"]
            )
            print(said)
            accepted &= kept
    if arguments.vectors is not None and "query" in says and arguments.queries is None:
        print("query: not given, and the passport has vectors of queries; give --queries")
        accepted = False
    if arguments.folder is not None:
        changed = differing(arguments.folder, passport["model"]["files"])
        print("files: " + ("; ".join(changed) or "all the same"))
        accepted &= arguments.vectors is not None or not changed
    print("accepted" if accepted else "refused")
    return 0 if accepted else 1


def main() -> int:
    """Read the arguments and check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("passport", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    if arguments.vectors is None and (arguments.folder is None or arguments.queries is not None):
        parser.error("give --vectors, or --folder, or both")
    try:
        return check(arguments)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"can't check: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
