"""Cost of finding similarly spelt texts with bands, compared with datasketch's index.

Both find the same pairs: with MinHashes of 128 numbers, in the same bands; each pair is
compared. Times are processor seconds, all in one process.

    python benchmarks/bench_bands.py questions.txt --count 30000
"""

from __future__ import annotations

import argparse
import time
from functools import lru_cache
from itertools import islice
from pathlib import Path

from setting import show_setting
from textkin.base.shingles import PERMUTATIONS, Unit, datasketch, jaccard, min_hashes, shingles
from textkin.base.text_equality import Equal, key_of
from textkin.data.splits.near_duplicates import bands_for, near_identical

CASES = ((Unit.LETTERS, 0.8), (Unit.WORDS, 0.6))


def by_index(keys: list[str], similarity: float, unit: Unit) -> list[tuple[int, int]]:
    """Query each text in an index of those before it."""
    bands = bands_for(similarity, unit)
    index = datasketch().MinHashLSH(num_perm=PERMUTATIONS, params=(bands.count, bands.rows))
    shingles_at = lru_cache(maxsize=4096)(lambda place: shingles(keys[place], unit))
    found = []
    for later, made in enumerate(min_hashes(map(shingles_at, range(len(keys))))):
        found += [
            (earlier, later)
            for earlier in index.query(made)
            if jaccard(shingles_at(earlier), shingles_at(later)) >= similarity
        ]
        index.insert(later, made, check_duplication=False)
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("texts", type=Path, help="a text a line")
    parser.add_argument("--first", type=int, default=0, help="leave out so many lines")
    parser.add_argument("--count", type=int, default=30_000, help="take so many")
    options = parser.parse_args()
    show_setting("datasketch")
    with options.texts.open(encoding="utf-8") as stream:
        lines = islice(stream, options.first, options.first + options.count)
        keys = list(dict.fromkeys(key_of(line.rstrip("\n"), Equal.CASE) for line in lines))
    near_identical(keys[:100], 0.8, quiet=True)  # imports
    for unit, similarity in CASES:
        start = time.process_time()
        indexed = by_index(keys, similarity, unit)
        between = time.process_time()
        found = near_identical(keys, similarity, unit=unit, quiet=True)
        end = time.process_time()
        print(
            f"{len(keys):,} texts, {unit.value} from {similarity}: {len(found):,} pairs, the same: "
            f"{found == indexed}; by bands {end - between:.1f} s, "
            f"by datasketch's index {between - start:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
