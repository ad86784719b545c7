"""How far copies of a transformer are from its passport, and what the rule says of them.

    python benchmarks/passports.py FOLDER

One line a copy: the honest ones, then all others, with the lowest cosine on the canaries. The bounds in
``textkin.passports.drift`` were chosen from such tables. Exit code 1 where the rule is wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.passports.copies import HONEST, TAMPERED

from textkin.tasks.deploy.passport import check_model, make_passport


def main(folder: Path) -> int:
    """Print a line for each copy: verdict, kind, 1 - lowest cosine, 1 - mean cosine, name."""
    passport = make_passport(folder)
    wrong = 0
    for honest, copies in ((True, HONEST), (False, TAMPERED)):
        for name, make in copies.items():
            with TemporaryDirectory() as place:
                found = check_model(make(folder, Path(place)), passport, accept_drift=True)
            worst = min((one.worst for one in found.drifts.values()), default=float("nan"))
            mean = min((one.mean for one in found.drifts.values()), default=float("nan"))
            wrong += found.accepted is not honest
            verdict = "accepted" if found.accepted else "refused"
            print(
                f"{verdict}\t{'honest' if honest else 'other'}\t{1 - worst:.1e}\t{1 - mean:.1e}\t{name}",
                flush=True,
            )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
