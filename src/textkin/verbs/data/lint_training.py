"""Find pairs and files that a model has learnt from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textkin.data.splits.findings import Finding, Severity, Topic
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.leak_check import pretraining_on_file

if TYPE_CHECKING:
    from textkin.data.protocols import AnySystem


def lint_training(system: AnySystem, files: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[Finding]:
    """Find pairs that a model was trained on, and files named after public data that it was pretrained on.

    Args:
        system: the model.
        files: by the name of a file or of records their pairs; empty for data without pairs.
    """
    seen = seen_of(system)
    for file, pairs in files.items():
        share = None if seen is None or not pairs else seen.share(pairs)
        if share is not None and share.learnt and not share.may_be_chance:
            yield Finding(
                Topic.LEARNT_PAIR,
                Severity.WARNING,
                (file,),
                share.learnt,
                f"pairs that {system.name} was trained on: {share.learnt:,} of {share.pairs:,}. "
                "Measure it on other pairs.",
            )
        for sentence in pretraining_on_file(system.name, system, Path(file)):
            yield Finding(Topic.PRETRAINED, Severity.INFO, (file,), 1, f"{sentence}.")
