"""Questions without an answer, made from SQuAD files.

    python benchmarks/unanswered.py v1/test.json --every 3 --out mixed-test.json
    python benchmarks/unanswered.py v1/train.json --every 5 --only --version-2 dev-v2.0.json --out none.json

Every third question, say, moves to the paragraph of its article that BM25 finds nearest, among those without
the words of an answer. If there is none, it stays where it is. ``--only`` leaves out all other questions.
``--version-2`` adds the questions without an answer that SQuAD 2.0 has of the same articles.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from textkin.verbs.answer.among_passages import passages_to_read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--every", type=int, required=True)
    parser.add_argument("--only", action="store_true")
    parser.add_argument("--version-2", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    articles = [article for path in asked.data for article in articles_of(path)]
    rows = [row for article in articles for row in moved(article["paragraphs"], asked.every)]
    made = [with_moved(article, dict(rows), only=asked.only) for article in articles]
    if asked.version_2:
        titles = {article["title"] for article in articles}
        made += [without_answers(one) for one in articles_of(asked.version_2) if one["title"] in titles]
    asked.out.write_text(json.dumps({"version": "v2.0", "data": made}), encoding="utf-8")
    questions = [row for one in made for paragraph in one["paragraphs"] for row in paragraph["qas"]]
    print(f"{len(questions):,} questions, {sum(not row['answers'] for row in questions):,} without an answer")


def articles_of(path: Path) -> list[dict[str, Any]]:
    """The articles of a SQuAD file."""
    return list(json.loads(path.read_text(encoding="utf-8"))["data"])


def moved(paragraphs: Sequence[dict[str, Any]], every: int) -> Iterator[tuple[str, str]]:
    """The ids of the questions that move, each with the text of the paragraph that it moves to."""
    texts = [paragraph["context"] for paragraph in paragraphs]
    answered = [(place, row) for place, one in enumerate(paragraphs) for row in one["qas"] if row["answers"]]
    rows = answered[::every]
    ranks = passages_to_read([row["question"] for _, row in rows], texts, None)
    for (own, row), ranked in zip(rows, ranks, strict=True):
        answers = [answer["text"].lower() for answer in row["answers"]]
        for place in sorted(ranked, key=lambda place: ranked[place]):
            if place != own and not any(answer in texts[place].lower() for answer in answers):
                yield row["id"], texts[place]
                break


def with_moved(article: dict[str, Any], places: dict[str, str], *, only: bool) -> dict[str, Any]:
    """An article whose questions stand where they have moved to; empty paragraphs are left out."""
    questions: dict[str, list[dict[str, Any]]] = {one["context"]: [] for one in article["paragraphs"]}
    for paragraph in article["paragraphs"]:
        for row in paragraph["qas"]:
            if row["id"] in places:
                none = {"answers": [], "is_impossible": True, "id": f"none-{row['id']}"}
                questions[places[row["id"]]].append({**row, **none})
            elif not only:
                questions[paragraph["context"]].append({**row, "is_impossible": False})
    kept = [{"context": text, "qas": rows} for text, rows in questions.items() if rows]
    return {"title": article["title"], "paragraphs": kept}


def without_answers(article: dict[str, Any]) -> dict[str, Any]:
    """An article with its questions of version 2.0 that have no answer."""
    kept = [
        {"context": one["context"], "qas": [row for row in one["qas"] if not row["answers"]]}
        for one in article["paragraphs"]
    ]
    return {"title": article["title"], "paragraphs": [one for one in kept if one["qas"]]}


if __name__ == "__main__":
    main()
