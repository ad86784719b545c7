"""Data sets of three files, made from textkin's samples, and recipes that train in a moment."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from tests.verbs.making import rows
from textkin.data.samples import path

HEADER = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel"
SIDES = {"train": (0, 24), "dev": (24, 32), "test": (32, 40)}
RECIPE = """
name = "{name}"
task = "{task}"

[model]
architecture = "{architecture}"

[model.arguments]
{arguments}

[[objectives]]
loss = "{loss}"
rows = "{rows}"
batch_size = 32

[training]
epochs = {epochs}
learning_rate = 0.05
"""


def write_questions(path_: Path, passages: Iterable[int], *, repeat: str = "") -> Path:
    """Questions on some of the sample's passages in WikiQA's format; every sentence is a candidate."""
    documents = [json.loads(line) for line in path("passages.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [HEADER]
    for document in (documents[number] for number in passages):
        for question in document["questions"]:
            text = repeat or question["question"]
            repeat = ""
            for place, sentence in enumerate(document["sentences"]):
                label = int(place in question["answers"])
                key = f"{question['id']}-{place}"
                lines.append(f"{question['id']}\t{text}\tD\tT\t{key}\t{sentence}\t{label}")
    path_.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path_


def write_ranking(folder: Path) -> Path:
    """A folder like that of WikiQA."""
    folder.mkdir(exist_ok=True)
    for side, (start, stop) in SIDES.items():
        write_questions(folder / f"Sample-{side}.tsv", range(start, stop))
    (folder / "README.txt").write_text("Not data.")
    return folder


def write_classes(folder: Path) -> Path:
    """A folder of pairs in three classes that words alone separate well."""
    folder.mkdir(exist_ok=True)
    draw = random.Random(5)
    groups: dict[str, list[str]] = {}
    with path("questions.tsv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            groups.setdefault(row["group"], []).append(row["text"])
    rows = []
    for one, other in pairwise(groups.values()):
        rows += [
            (one[0], one[1], "same"),
            (one[0], other[1], "other"),
            (one[0], f"Nobody asks: {other[0]}", "no"),
        ]
    draw.shuffle(rows)
    for side, (start, stop) in {"train": (0, 600), "dev": (600, 750), "test": (750, 1020)}.items():
        lines = ["premise\thypothesis\tlabel", *("\t".join(row) for row in rows[start:stop])]
        (folder / f"{side}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def write_recipe(folder: Path, name: str, *, task: str = "ranking", epochs: int = 1, **changes: str) -> str:
    values = {
        "ranking": {"loss": "rank-hinge", "rows": "candidate-pairs"},
        "pairs": {"loss": "logistic", "rows": "pairs"},
        "classes": {"loss": "cross-entropy", "rows": "pairs"},
    }[task]
    model = {"architecture": "siamese", "arguments": 'cell = "mean"\ndim = 8'}
    if task == "classes":
        model = {"architecture": "word-means", "arguments": "dim = 8"}
    text = RECIPE.format(name=name, task=task, epochs=epochs, **{**values, **model, **changes})
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return str(folder / f"{name}.toml")


def write_beir(folder: Path, *, splits: tuple[str, ...] = ("dev",)) -> Path:
    """Pairs of the same as queries with their documents, beside pairs that differ."""
    same = list(dict.fromkeys((a, b) for a, b, label in rows() if int(label) and a != b))[:30]
    documents = {text: f"d{place}" for place, text in enumerate(dict.fromkeys(b for _, b in same))}
    queries = {text: f"q{place}" for place, text in enumerate(dict.fromkeys(a for a, _ in same))}
    (folder / "qrels").mkdir(parents=True)
    for name, texts in (("corpus", documents), ("queries", queries)):
        lines = (json.dumps({"_id": key, "title": "", "text": text}) for text, key in texts.items())
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    judged = [f"{queries[a]}\t{documents[b]}\t1" for a, b in same]
    for split in splits:
        content = "\n".join(["query-id\tcorpus-id\tscore", *judged]) + "\n"
        (folder / "qrels" / f"{split}.tsv").write_text(content)
    return folder
