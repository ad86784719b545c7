"""The whole tour on the bundled sample: study labelled questions, then look for duplicates in an inbox."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.extras import import_torch
from textkin.base.files import ensure_folder
from textkin.base.results import Printed
from textkin.base.text_table import text_table
from textkin.data import samples
from textkin.data.protocols import Encoder
from textkin.data.readers import load_texts
from textkin.kinds.systems import load_encoder
from textkin.report.content import FittedThreshold, FoundDuplicates, ScoredPair
from textkin.verbs.experiments.sample_files import write_pairs
from textkin.verbs.experiments.study_file import study_file
from textkin.verbs.experiments.study_folder import MODEL, StudyOptions, publish
from textkin.verbs.experiments.study_lines import study_lines
from textkin.verbs.experiments.study_result import StudyResult

PAIRS = "sample-pairs.tsv"
_MODELS = ("static", "siamese-bag")  # those that take seconds
_SHOWN = 15


@dataclass(frozen=True, slots=True)
class Tour(Printed):
    """The study of the sample, and the pairs that the chosen model found in the inbox.

    Attributes:
        study: study of the sample pairs.
        found: the most similar pairs of the inbox, with the number of known paraphrases.
        right: number of pairs in ``found`` known to be paraphrases.
    """

    study: StudyResult
    found: FoundDuplicates
    right: int

    def text(self) -> str:
        """The study's lines, the pairs that were found, and the report."""
        found = self.found
        heading = (
            f"The most similar pairs above the threshold, in an inbox of {found.texts} unlabelled questions:"
        )
        pairs = [(f"{pair.score:.3f}", pair.a, pair.b) for pair in found.pairs]
        return "\n".join(
            [
                *study_lines(self.study.report),
                f"\n{heading}",
                text_table(("score", "one", "other"), pairs, width=None),
                f"{self.right} of these {len(found.pairs)} pairs are known to ask the same.",
                f"\nreport: {self.study.page}",
            ]
        )

    def as_dict(self) -> dict[str, Any]:
        """The study's report and page, and the number of known paraphrases found."""
        return {"report": self.study.report.to_dict(), "page": self.study.page, "right": self.right}


def take_tour(out: Path | str, *, options: StudyOptions | None = None) -> Tour:
    """Study the bundled sample and look for duplicates in the bundled inbox.

    Args:
        out: folder for the sample's pairs and the study, ``out/study``.
        options: options of the study; by default one that takes about a minute.

    Raises:
        MissingExtraError: torch is not installed.
    """
    import_torch()
    folder = ensure_folder(out)
    pairs = folder / PAIRS
    write_pairs(pairs)
    result = study_file(pairs, folder / "study", options=options or StudyOptions(models=_MODELS, seeds=1))
    found, right = _inbox(load_encoder(result.folder / MODEL), result.report.threshold)
    report = replace(result.report, duplicates=found)
    page = publish(report, result.folder)
    return Tour(replace(result, report=report, page=page), found, right)


def _inbox(model: Encoder, threshold: FittedThreshold | None) -> tuple[FoundDuplicates, int]:
    """The most similar pairs of the inbox above the threshold, and the number of known paraphrases."""
    texts = load_texts(samples.path("inbox.txt")).data.texts
    lowest = -1.0 if threshold is None else threshold.value
    vectors = model.encode(texts)
    first, second = np.triu_indices(len(texts), k=1)
    scores = np.einsum("ij,ij->i", vectors[first], vectors[second])
    order = np.argsort(-scores, kind="stable")
    best = order[scores[order] >= np.float32(lowest)][:_SHOWN]
    group = {int(line) - 1: name for line, name in samples.rows("inbox_groups.tsv")}
    pairs, right = [], 0
    for a, b, score in zip(first[best].tolist(), second[best].tolist(), scores[best].tolist(), strict=True):
        pairs.append(ScoredPair(texts[a], texts[b], score))
        right += a in group and group[a] == group.get(b)
    return FoundDuplicates(model.name, len(texts), lowest, tuple(pairs)), right
