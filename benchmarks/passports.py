"""Drift of a transformer's copies from its passport, and the verdicts of the rule.

    python benchmarks/passports.py FOLDER [--collection]

One line per copy: faithful ones first, then all others, with the lowest cosine on the canaries. The bounds in
``textkin.models.passports.drift`` were chosen from such tables. With ``--collection`` the passport is that of
a collection made with the model, each copy is used to open it, and the line ends with the result, and with
the verdicts of the programs in examples/. The exit code is 1 if the rule is wrong, or another verdict
differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.models.passports.copies import HONEST, TAMPERED
from tests.models.passports.programs import programs_say

import textkin as tk
from textkin.base.errors import VerifyError
from textkin.collection.contents import passport_of_collection
from textkin.kinds.systems.passports import make_passport
from textkin.models.passports.checking import Checked
from textkin.models.passports.making import write_passport
from textkin.verbs.use.verified_model import AnyPassport, verify_model

Says = Callable[[Any, Path], tuple[Checked, list[bool]]]
SAMPLE = ["Where can I park?", "When do you open on Sunday?", "Do you lend laptops?"]


def main() -> int:
    """Print a line per copy: verdict, kind, 1 - lowest cosine, 1 - mean cosine, name, other verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--collection", action="store_true")
    asked = parser.parse_args()
    if not asked.collection:
        passport = make_passport(asked.folder)
        return told(asked.folder, lambda copy, _: (checked(copy, passport), []))
    with TemporaryDirectory() as place:
        return told(asked.folder, in_collection(asked.folder, Path(place)))


def checked(copy: Any, expect: AnyPassport) -> Checked:
    """The check of a copy by the rule, however it drifts."""
    found = verify_model(copy, expect=expect, accept_drift=True).check
    assert found is not None  # noqa: S101 - it is checked against a passport
    return found


def in_collection(folder: Path, place: Path) -> Says:
    """The verdicts on copies by a collection made with a model, and by the programs with its passport."""
    with tk.open_collection(place / "c", model=folder, create=True) as made:
        made.add(SAMPLE)
    file = write_passport(passport_of_collection(place / "c"), place / "passport.json")

    def says(copy: Any, work: Path) -> tuple[Checked, list[bool]]:
        try:
            tk.open_collection(place / "c", model=copy).close()
            accepted = True
        except VerifyError:
            accepted = False
        codes = programs_say(copy, file, work)
        return checked(copy, file), [accepted, *(code == 0 for code in codes)]

    return says


def told(folder: Path, says: Says) -> int:
    """Check all copies; return 1 if any verdict is wrong."""
    wrong, counts = 0, Counter[str]()
    for honest, copies in ((True, HONEST), (False, TAMPERED)):
        for name, make in copies.items():
            with TemporaryDirectory() as place:
                (work := Path(place, "work")).mkdir()
                found, others = says(make(folder, Path(place)), work)
            worst = min((one.worst for one in found.drifts.values()), default=float("nan"))
            mean = min((one.mean for one in found.drifts.values()), default=float("nan"))
            verdicts = [found.accepted, *others]
            wrong += any(one is not honest for one in verdicts)
            words = ["accepted" if one else "refused" for one in verdicts]
            counts[f"{'honest' if honest else 'other'}: {', '.join(words)}"] += 1
            print(
                f"{words[0]}\t{'honest' if honest else 'other'}\t{1 - worst:.1e}\t{1 - mean:.1e}\t{name}\t"
                f"{', '.join(words[1:])}",
                flush=True,
            )
    for verdict, count in counts.items():
        print(f"{count}\t{verdict}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
