"""Small data and small recipes, so that a study takes a second."""

from __future__ import annotations

import random
from pathlib import Path

from textkin.verbs.data.split_file import Scheme, split_file

RECIPE = """
name = "{name}"

[text]
tokenise = "words"

[model]
architecture = "siamese"

[model.arguments]
cell = "mean"
dim = 16

[[objectives]]
loss = "logistic"
rows = "pairs"
batch_size = 32
score_scale = 8.0

[training]
epochs = {epochs}
learning_rate = 0.05
"""
_WORDS = [first + second for first in ("ka", "lo", "mi", "ne", "pu", "ra") for second in "bdfgklmnprst"]


def write_recipe(folder: Path, name: str = "tiny", *, epochs: int = 1) -> str:
    path = folder / f"{name}.toml"
    path.write_text(RECIPE.format(name=name, epochs=epochs))
    return str(path)


def rows(groups: int = 60, *, seed: int = 0) -> list[tuple[str, str, int]]:
    """For each group two pairs that share words, and two with its neighbour that share none."""
    draw = random.Random(seed)

    def text(group: int, topic: list[str]) -> str:
        return f"{' '.join(draw.sample(topic, 3))} {draw.choice(_WORDS)} g{group}x{draw.randrange(10**6)}"

    found = []
    for group in range(0, groups, 2):
        own, others = (draw.sample(_WORDS, 4) for _ in range(2))
        texts = [text(group, own) for _ in range(3)], [text(group + 1, others) for _ in range(3)]
        for a, b, c in texts:
            found += [(a, b, 1), (b, c, 1)]
        found += [(texts[0][0], texts[1][0], 0), (texts[0][1], texts[1][1], 0), (texts[0][2], texts[1][2], 0)]
    return found


def write_pairs(path: Path, pairs: list[tuple[str, str, float]] | list[tuple[str, str, int]]) -> Path:
    lines = ["question1\tquestion2\tis_duplicate", *(f"{a}\t{b}\t{label:g}" for a, b, label in pairs)]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_suite(place: Path) -> Path:
    """Split pairs that share words if they are duplicates, as a suite."""
    number: dict[str, int] = {}
    lines = ["id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"]
    for a, b, label in rows(120):
        ids = [number.setdefault(text, len(number)) for text in (a, b)]
        lines.append(f"{len(lines)}\t{ids[0]}\t{ids[1]}\t{a}\t{b}\t{label}")
    (place / "quora.tsv").write_text("\n".join(lines) + "\n")
    split_file(place / "quora.tsv", place / "split", scheme=Scheme.QUORA_IR)
    return place / "split"
