"""``tk.lint``: what is odd in data, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError, inapplicable
from textkin.base.python_inputs import path_of
from textkin.base.text_equality import Equal
from textkin.data.protocols import System
from textkin.data.readers import Reading
from textkin.data.readers.from_python import as_pairs
from textkin.data.records import PairSet
from textkin.data.splits.findings import LintReport
from textkin.data.splits.lint import lint as lint_pairs
from textkin.kinds.systems import load
from textkin.verbs.data.lint import lint_files, with_long_texts


@checked
def lint(
    data: Any,
    *,
    model: str | Path | System | None = None,
    reading: Reading | None = None,
    equal: Equal = Equal.LETTERS,
) -> LintReport:
    """Say what is odd in pairs, and which texts leak from one set into another.

    Args:
        data: the path of a file of pairs, triplets or candidates, a ``PairSet``, or rows of texts and labels;
            or a list of several paths or ``PairSet``.
        model: a model, its folder or name: texts that it would cut are found too.
        reading: how the files are read.
        equal: when two texts are the same text: "exact", "form", "case" or "letters".

    Raises:
        UsageError: one file is given twice, or paths and records are mixed.
        DataError: a file can't be read, or is a collection.

    Example:
        >>> import textkin as tk
        >>> train = tk.as_pairs([("Opening hours?", "When are you open?", 1)], name="train")
        >>> test = tk.as_pairs([("opening hours", "Where can I park?", 0)], name="test")
        >>> [finding.kind.value for finding in tk.lint([train, test]).findings if "shared" in finding.kind]
        ['shared-text']
    """
    if (path := path_of(data)) is not None:
        return lint_files([path], model=model, reading=reading, equal=equal)
    parts: Sequence[Any] = data if isinstance(data, list | tuple) else [data]
    if parts and all(isinstance(part, str | Path) for part in parts):
        return lint_files([Path(part) for part in parts], model=model, reading=reading, equal=equal)
    if any(isinstance(part, str | Path) for part in parts):
        raise UsageError("paths and records can't be combined", fix="give either", params=("data",))
    if reading is not None:
        raise inapplicable("reading", to="records")
    are_sets = all(isinstance(part, PairSet) for part in parts)
    sets = [as_pairs(part) for part in parts] if are_sets else [as_pairs(data)]
    report = lint_pairs(sets, equal=equal)
    if model is None:
        return report
    system = load(model) if isinstance(model, str | Path) else model
    return with_long_texts(report, [(one, {}) for one in sets], system)
