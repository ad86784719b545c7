"""``lint``: check data for errors and for leaks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import Columns, Download, EncodingName, EqualTexts, Format, Quoting

if TYPE_CHECKING:
    from textkin.data.splits.findings import LintReport

Files = Annotated[
    Any,
    Option(
        "Files of pairs, triplets, questions with candidates or choices, or SQuAD; BEIR folders.",
        metavar="FILE...",
        command=list[Path],
    ),
]
ReadingModel = Annotated[
    Any,
    Option(
        "Also find texts that this model cuts, hardly knows or learnt from; data may then be single texts.",
        metavar="MODEL",
        command=str,
    ),
]


@verb
def lint(
    files: Files,
    /,
    *,
    model: ReadingModel = None,
    equal: EqualTexts = "letters",
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
) -> LintReport:
    """Check pair files for errors and for train/test leaks.

    Finds repeated, mirrored and contradictory pairs, equal texts under different ids, outliers, and texts
    that leak from one file into another. In exams it finds unusable questions and repeated choices. The exit
    code is 1 if something must be repaired.

    Returns:
        :class:`LintReport`.

    Raises:
        UsageError: one file is given twice, or paths and records are mixed.
        DataError: a file can't be read, or is a collection.
        ModelError: the model can't be read.

    Example:
        >>> import textkin as tk
        >>> train = tk.as_pairs([("Opening hours?", "When are you open?", 1)], name="train")
        >>> test = tk.as_pairs([("opening hours", "Where can I park?", 0)], name="test")
        >>> [finding.kind.value for finding in tk.lint([train, test]).findings if "shared" in finding.kind]
        ['shared-text']
    """
    from textkin.base.errors import UsageError, invalid
    from textkin.base.frames import column_names
    from textkin.base.python_inputs import are_texts, path_of
    from textkin.base.text_equality import Equal
    from textkin.kinds.registry import kind_of
    from textkin.kinds.systems import fetch_named
    from textkin.kinds.systems.open_folder import open_named
    from textkin.verbs.data.lint_files import lint_files, lint_sets
    from textkin.verbs.data.lint_memory import set_in_memory
    from textkin.verbs.pair_inputs import pair_reading

    fetch_named(model, download=download)
    system = open_named(model) if isinstance(model, str | Path) else model
    parts = list(files) if isinstance(files, list | tuple) and path_of(files) is None else [files]
    texts = are_texts(files)
    if texts and system is None:
        fix = "check the path, or give `model` to check single texts"
        raise invalid("files[0]", parts[0], expected="a file or pairs", fix=fix)
    paths = [part for part in parts if path_of(part) is not None and not texts]
    if paths and len(paths) < len(parts):
        raise UsageError("paths and records can't be combined", fix="give either", params=("files",))
    first = paths[:1] if paths else parts[: not texts]
    reading = pair_reading(*first, columns=columns, format=format, quoting=quoting, encoding=encoding)
    if paths:
        return lint_files(paths, model=system, reading=reading, equal=Equal(equal))
    whole = any(kind_of(part) is not None or column_names(part) is not None for part in parts)
    sets = [set_in_memory(part, columns, system) for part in (parts if whole else [files])]
    return lint_sets(sets, system, equal=Equal(equal))
