"""TREC files read line by line, the slow and obvious way."""

from pathlib import Path


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    judgements: dict[str, dict[str, int]] = {}
    for line in path.read_bytes().split(b"\n"):
        if line.split():
            query, _, document, relevance = line.split()
            row = judgements.setdefault(query.decode(), {})
            if document.decode() in row:
                raise ValueError("twice")
            if b"_" in relevance:
                raise ValueError("no number, though Python takes it for one")
            row[document.decode()] = int(relevance)
    return judgements


def read_run(path: Path) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for line in path.read_bytes().split(b"\n"):
        if line.split():
            query, _, document, _, score, _ = line.split()
            row = scores.setdefault(query.decode(), {})
            if document.decode() in row or float(score) != float(score):
                raise ValueError("twice or NaN")
            if b"_" in score:
                raise ValueError("no number, though Python takes it for one")
            row[document.decode()] = float(score)
    return scores


def ranked(scores: dict[str, float]) -> list[str]:
    """Score descending, then document id descending by its bytes."""
    return sorted(scores, key=lambda name: (scores[name], name.encode()), reverse=True)
