"""Questions with their known groups for ``textkin cluster``: a half for tuning, a half for testing.

    python benchmarks/quora_groups.py quora_duplicate_questions.tsv FOLDER

A question's known group is the connected component of the pairs labelled as duplicates; a question in none of
them is a group of its own. Whole groups are assigned to ``dev.tsv`` and ``test.tsv``, and ``all.tsv`` has
both: id, text, group.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import textkin as tk
from textkin.base.files import atomic_text
from textkin.base.table_writer import RowWriter
from textkin.data.splits.components import join


def main(source: str, folder: str, *, seed: int = 0) -> None:
    """Write the three files."""
    numbers: dict[str, int] = {}
    pairs = []
    for pair in tk.load_pairs(source).data:
        ends = [numbers.setdefault(text, len(numbers)) for text in (pair.a, pair.b)]
        if pair.label == 1:
            pairs.append(ends)
    group = join(len(numbers), np.array(pairs, dtype=np.int64).reshape(-1, 2))
    half = np.random.default_rng(seed).permutation(int(group.max()) + 1) % 2
    sides = {"dev": half[group] == 0, "test": half[group] == 1, "all": np.ones(len(group), dtype=bool)}
    texts = list(numbers)
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, chosen in sides.items():
        out = Path(folder) / f"{name}.tsv"
        places = np.flatnonzero(chosen)
        with atomic_text(out) as stream:
            rows = ((f"q{place}", texts[place], f"g{group[place]}") for place in places.tolist())
            RowWriter(stream, out, ("id", "text", "group")).write(rows)
        sizes = np.unique(group[places], return_counts=True)[1]
        print(f"{out}: {len(places):,} questions, {len(sizes):,} groups, {(sizes > 1).sum():,} of several")


if __name__ == "__main__":
    main(*sys.argv[1:3])
