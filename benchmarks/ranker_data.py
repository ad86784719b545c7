"""Questions and claims with candidates to rank, of which the built-in ranker is made.

    textkin data split squad/dev-v1.1.json --scheme articles --test-size 16 --dev-size 4 --seed 0 --out v1
    python benchmarks/ranker_data.py DATA v1 --out ranker-data

DATA is a folder with spans, ir/scifact, qa-pairs and science-text. dev.tsv has sentences of v1's dev
articles, and claims that train.tsv lacks. train.tsv has lists of five kinds:

- a question with the sentences of its passage, those with the answer right;
- a question with its passage and four that BM25 finds, without the words of an answer;
- a claim of SciFact's training file with the abstracts that speak of it and five that BM25 finds;
- a medical question with its answer and four answers to other questions;
- a question of QASC with its fact and four others.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import textkin as tk
from textkin.verbs.answer.among_passages import passages_to_read

HEADER = ("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID", "Sentence", "Label")
COUNTS = {"sentences": 4_000, "passages": 3_500, "medical": 1_500, "facts": 1_000}
DEV_SENTENCES, DEV_CLAIMS = 400, 109
AMONG = 20  # wrong candidates are drawn among so many that BM25 finds
OF_TRAIN = ("squad-train-sample", "squadshifts-newwiki", "tydiqa-en")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question or claim with its candidates, each with True if it is right."""

    query: str
    candidates: Sequence[tuple[str, bool]]


def sentences_of(path: Path) -> list[Asked]:
    """The questions of a SQuAD file with the sentences of their passages."""
    out = path.with_suffix(".sentences.tsv")
    tk.convert(path, out=out)
    with out.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    found: dict[str, list[tuple[str, bool]]] = {}
    queries = {row["QuestionID"]: row["Question"] for row in rows}
    for row in rows:
        found.setdefault(row["QuestionID"], []).append((row["Sentence"], row["Label"] == "1"))
    return [Asked(queries[key], candidates) for key, candidates in found.items()]


def passages_of(paths: Sequence[Path], drawn: random.Random) -> Iterator[Asked]:
    """Questions of SQuAD files with their passage and four others."""
    articles = [one for path in paths for one in json.loads(path.read_text(encoding="utf-8"))["data"]]
    texts = [paragraph["context"] for article in articles for paragraph in article["paragraphs"]]
    questions = [
        (paragraph["context"], row)
        for article in articles
        for paragraph in article["paragraphs"]
        for row in paragraph["qas"]
        if row["answers"]
    ]
    taken = drawn.sample(questions, COUNTS["passages"])
    found = found_by_words([row["question"] for _, row in taken], texts)
    for (own, row), near in zip(taken, found, strict=True):
        answers = [answer["text"].lower() for answer in row["answers"]]
        others = [one for one in near if one != own and not any(answer in one.lower() for answer in answers)]
        yield _with_others(row["question"], [own], others, drawn)


def claims_of(folder: Path, drawn: random.Random) -> list[Asked]:
    """The claims of SciFact's training file with the abstracts that speak of them, and others."""
    corpus = {row["_id"]: f"{row['title']}\n{row['text']}" for row in _lines(folder / "corpus.jsonl")}
    claims = {row["_id"]: row["text"] for row in _lines(folder / "queries.jsonl")}
    with (folder / "qrels/train.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    right: dict[str, set[str]] = {}
    for row in rows:
        if int(row["score"]) > 0:
            right.setdefault(row["query-id"], set()).add(row["corpus-id"])
    texts = list(corpus.values())
    asked = []
    found = found_by_words([claims[key] for key in right], texts)
    for (key, own), near in zip(right.items(), found, strict=True):
        own_texts = [corpus[one] for one in sorted(own)]
        others = [one for one in near if one not in own_texts]
        asked.append(_with_others(claims[key], own_texts, others, drawn, count=5))
    return asked


def pairs_of(
    rows: Sequence[tuple[str, ...]], texts: Sequence[str], count: int, drawn: random.Random
) -> Iterator[Asked]:
    """Questions with their answers, and others among the texts."""
    right: dict[str, list[str]] = {}
    for question, answer in rows:
        right.setdefault(question, []).append(answer)
    taken = drawn.sample(sorted(right), count)
    for question, near in zip(taken, found_by_words(taken, texts), strict=True):
        others = [one for one in near if one not in right[question]]
        yield _with_others(question, right[question], others, drawn)


def found_by_words(queries: Sequence[str], texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts that BM25 finds for each query, best first."""
    for places in places_by_words(queries, texts, AMONG):
        yield [texts[place] for place in places]


def places_by_words(queries: Sequence[str], texts: Sequence[str], count: int) -> Iterator[list[int]]:
    """The places of the texts that BM25 finds for each query, best first."""
    for ranks in passages_to_read(queries, texts, count):
        yield sorted(ranks, key=lambda place: ranks[place])


def _with_others(
    query: str, right: Sequence[str], others: Sequence[str], drawn: random.Random, count: int = 4
) -> Asked:
    wrong = drawn.sample(others, min(count, len(others)))
    candidates = [(text, True) for text in right] + [(text, False) for text in wrong]
    drawn.shuffle(candidates)
    return Asked(query, candidates)


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _columns(path: Path, *names: int) -> list[tuple[str, ...]]:
    with path.open(encoding="utf-8") as lines:
        cells = [line.rstrip("\n").split("\t") for line in lines]
    return [tuple(row[name] for name in names) for row in cells]


def write(path: Path, asked: Sequence[Asked]) -> None:
    """Write lists as a file of candidates."""
    rows = 0
    with path.open("w", encoding="utf-8", newline="") as out:
        print(*HEADER, sep="\t", file=out)
        for number, one in enumerate(asked):
            for place, (text, right) in enumerate(one.candidates):
                cells = (f"q{number}", one.query, "", "", f"q{number}-{place}", text, str(int(right)))
                print(*(" ".join(cell.split()) for cell in cells), sep="\t", file=out)
                rows += 1
    print(f"{path}: {len(asked):,} questions and claims, {rows:,} candidates")


def main() -> None:
    """Write train.tsv and dev.tsv."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("split", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    data, drawn = options.data, random.Random(0)
    options.out.mkdir(parents=True, exist_ok=True)
    paths = []
    for path in [options.split / "train.json", *(data / "spans" / f"{name}.json" for name in OF_TRAIN)]:
        paths.append(options.out / path.name)
        paths[-1].write_bytes(path.read_bytes())
    sentences = [one for path in paths for one in sentences_of(path)]
    medical = _columns(data / "qa-pairs/medquad.tsv", 1, 2)
    facts = sorted({text for (text,) in _columns(data / "science-text/qasc-facts.tsv", 2)[1:]})
    claims = claims_of(data / "ir/scifact", drawn)
    drawn.shuffle(claims)
    train = [
        *drawn.sample(sentences, COUNTS["sentences"]),
        *passages_of(paths, drawn),
        *claims[DEV_CLAIMS:],
        *pairs_of(medical, sorted({answer for _, answer in medical}), COUNTS["medical"], drawn),
        *pairs_of(_columns(data / "qa-pairs/qasc.tsv", 1, 2), facts, COUNTS["facts"], drawn),
    ]
    drawn.shuffle(train)
    write(options.out / "train.tsv", train)
    dev_path = options.out / "dev-articles.json"
    dev_path.write_bytes((options.split / "dev.json").read_bytes())
    write(
        options.out / "dev.tsv", [*drawn.sample(sentences_of(dev_path), DEV_SENTENCES), *claims[:DEV_CLAIMS]]
    )


if __name__ == "__main__":
    main()
