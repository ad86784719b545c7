"""The whole tour on the bundled sample: study labelled questions, then look for duplicates in an inbox."""

from __future__ import annotations

import csv
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

import numpy as np

from textkin import samples
from textkin.files import atomic_text, ensure_folder
from textkin.protocols import Encoder
from textkin.readers import load_texts
from textkin.report.content import FoundDuplicates, ScoredPair
from textkin.report.write import write_report
from textkin.tasks.resolve import load
from textkin.tasks.study import StudyOptions, StudyResult, study

PAIRS = "sample-pairs.tsv"
_SHOWN = 15
_OTHERS_PER_GROUP = 8


@final
@dataclass(frozen=True, slots=True)
class DemoResult:
    """The study of the sample and what the chosen model found in the inbox.

    Attributes:
        study: of the sample pairs.
        found: the most similar pairs of the inbox, with how many of them are known to ask the same.
        right: how many of the pairs in ``found`` are known to ask the same.
    """

    study: StudyResult
    found: FoundDuplicates
    right: int


def demo(out: Path | str, *, options: StudyOptions | None = None) -> DemoResult:
    """Study the bundled sample and look for duplicates in the bundled inbox.

    Args:
        out: folder for the sample's pairs and the study, ``out/study``.
        options: of the study; by default one that takes about a minute.
    """
    folder = ensure_folder(out)
    pairs = folder / PAIRS
    if not pairs.exists():
        write_pairs(pairs)
    result = study(pairs, folder / "study", options=options or StudyOptions())
    found, right = _inbox(load(result.model), _threshold(result))
    report = replace(result.report, duplicates=found)
    page = write_report(report, result.folder)
    return DemoResult(replace(result, report=report, page=page), found, right)


def write_pairs(path: Path) -> int:
    """Write the sample as labelled pairs and return how many there are.

    Same: every two questions of a group. Not the same: the near misses, and for every group a few questions
        of other groups
    of its topic, drawn with a fixed seed.
    """
    rows = list(_pairs())
    with atomic_text(path) as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(["question1", "question2", "is_duplicate"])
        writer.writerows(rows)
    return len(rows)


def _pairs() -> Iterator[tuple[str, str, int]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for topic, group, text in _rows("questions.tsv"):
        groups.setdefault((topic, group), []).append(text)
    for members in groups.values():
        for a, b in itertools.combinations(members, 2):
            yield a, b, 1
    for _, a, b in _rows("near_misses.tsv"):
        yield a, b, 0
    draw = random.Random(1)
    by_topic: dict[str, list[str]] = {}
    for topic, group in groups:
        by_topic.setdefault(topic, []).append(group)
    for (topic, group), members in groups.items():
        # Neighbours in the list, not any two groups: else a topic's groups would all hang together, and could
        # not be split.
        place = by_topic[topic].index(group)
        block = by_topic[topic][place - place % 2 : place - place % 2 + 2]
        others = [text for other in block if other != group for text in groups[topic, other]]
        for text in draw.sample(others, min(_OTHERS_PER_GROUP, len(others))):
            yield draw.choice(members), text, 0


def _rows(name: str) -> Iterator[tuple[str, ...]]:
    with samples.path(name).open(encoding="utf-8", newline="") as stream:
        rows = (line.rstrip("\n").split("\t") for line in stream)
        next(rows)
        yield from map(tuple, rows)


def _threshold(result: StudyResult) -> float:
    fitted = result.report.threshold
    return 0.0 if fitted is None else fitted.value


def _inbox(model: Encoder, threshold: float) -> tuple[FoundDuplicates, int]:
    """The most similar pairs of the inbox above the threshold, and how many of them are known to be right."""
    texts = list(load_texts(samples.path("inbox.txt")).data.texts)
    vectors = model.encode(texts)
    scores = np.triu(vectors @ vectors.T, k=1)
    order = np.argsort(-scores, axis=None, kind="stable")[:_SHOWN]
    group = {int(line) - 1: name for line, name in _rows("inbox_groups.tsv")}
    pairs, right = [], 0
    for a, b in zip(*np.unravel_index(order, scores.shape), strict=True):
        if scores[a, b] < threshold:
            break
        pairs.append(ScoredPair(texts[a], texts[b], float(scores[a, b])))
        right += group.get(int(a), "a") == group.get(int(b), "b")
    return FoundDuplicates(model.name, len(texts), threshold, tuple(pairs)), right
