"""Make the encoder in the box, and measure it on the STS Benchmark.

    python benchmarks/default_encoder.py TEACHER DATA --out src/textkin/default_encoder

TEACHER is all-MiniLM-L6-v2's folder. DATA holds the folders snli, mnli, squad, qa-pairs and stsbenchmark.
The same texts give the same encoder. Without --out, it only measures the encoder that is in the box.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scipy.stats import spearmanr

from setting import show_setting
from textkin.readers import load_pairs
from textkin.systems import load
from textkin.tasks.deploy.distil import DistilOptions, distil

TEXTS = 17_000
EACH = 40_000  # of a source, before they are mixed
LONGEST = 90  # characters
OPTIONS = {"dim": 128, "sif": 1e-4, "strength": 1.0, "stored": "int8"}
_QUESTIONS = (
    *("nq", "webquestions-train", "arc-train", "openbookqa-train", "medquad"),
    *("freebaseqa", "hotpotqa", "qasc", "scitail"),
)
_STATEMENTS = ("qasc", "scitail")
_SENTENCE = re.compile(r"(?<=[.?!]) ")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("teacher", type=Path)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--out", type=Path, help="where the encoder goes; only measure if left out")
    given = arguments.parse_args()
    show_setting("numpy", "tokenizers")
    model = "default"
    if given.out is not None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "texts.txt"
            lines = (" ".join(text.split()) for text in texts_of(given.data))
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
            print(distil(given.teacher, given.out, options=DistilOptions(texts=(file,), **OPTIONS)))
        model = str(given.out.absolute())
    for part in ("dev", "test"):
        data = load_pairs(given.data / f"stsbenchmark/sts-{part}.csv").data
        found = spearmanr(load(model).score(data.texts), data.labels).statistic
        print(f"STS Benchmark {part}: {len(data):,} pairs, Spearman {found:.4f}")


def texts_of(data: Path) -> list[str]:
    """Short texts of several kinds, in a drawn order, without those of the STS Benchmark's dev and test."""
    held = {plain(text) for part in ("dev", "test") for text in sts_texts(data, part)}
    dice = random.Random(0)
    texts: list[str] = []
    for source in (snli, questions, squad, mnli, squad_sentences):
        pool = [text for text in dict.fromkeys(source(data)) if plain(text) and plain(text) not in held]
        pool = [text for text in pool if len(text) <= LONGEST]
        dice.shuffle(pool)
        texts += pool[:EACH]
    dice.shuffle(texts)
    return texts[:TEXTS]


def plain(text: str) -> str:
    """What counts when texts are compared."""
    return "".join(character for character in text.lower() if character.isalnum())


def sts_texts(data: Path, part: str) -> Iterator[str]:
    for line in (data / f"stsbenchmark/sts-{part}.csv").read_text(encoding="utf-8").splitlines():
        yield from line.split("\t")[5:7]


def snli(data: Path) -> Iterator[str]:
    yield from sentences_of(data / "snli/snli_train_sample.jsonl")


def mnli(data: Path) -> Iterator[str]:
    yield from (text for text in sentences_of(data / "mnli/multinli_dev_matched.jsonl") if len(text) < 300)


def sentences_of(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        yield pair["sentence1"]
        yield pair["sentence2"]


def questions(data: Path) -> Iterator[str]:
    for name in _QUESTIONS:
        for line in (data / f"qa-pairs/{name}.tsv").open(encoding="utf-8"):
            _, question, answer = line.rstrip("\n").split("\t")[:3]
            yield question
            if name == "medquad":
                yield from [part for part in _SENTENCE.split(answer) if 20 < len(part) < 250][:2]
            if name in _STATEMENTS:
                yield answer


def squad(data: Path) -> Iterator[str]:
    for article in json.loads((data / "squad/dev-v1.1.json").read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            yield from (part for part in _SENTENCE.split(paragraph["context"]) if 20 < len(part) < 300)
            yield from (question["question"] for question in paragraph["qas"])


def squad_sentences(data: Path) -> Iterator[str]:
    for line in (data / "squad/nqg/src-test.txt").open(encoding="utf-8"):
        yield line.strip()


if __name__ == "__main__":
    main()
