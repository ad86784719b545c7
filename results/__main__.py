"""Render the pages, or rerun some entries: ``python -m results [--check N]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from results import ROOT
from results.entries import read_results
from results.render import write_pages
from results.rerun import rerun


def main() -> int:
    """Parse the command line; return 1 if a figure differs or no entry could be rerun."""
    parser = argparse.ArgumentParser(prog="dev.py results", description=__doc__)
    parser.add_argument(
        "--check", type=int, metavar="N", help="rerun so many entries that take under a minute"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample of entries")
    parser.add_argument(
        "--data", type=Path, default=ROOT.parent / "shared/data", help="folder of the data sets"
    )
    options = parser.parse_args()
    results = read_results()
    if options.check is not None:
        return rerun(results, count=options.check, seed=options.seed, data=options.data)
    for path in write_pages(results):
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
