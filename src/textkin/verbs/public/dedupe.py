"""``tk.dedupe``: which of many texts can go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError, invalid, required
from textkin.data.protocols import Encoder
from textkin.data.readers import TextReading
from textkin.vectors.on_ray.location import Workplace
from textkin.verbs.dedupe.dedupe import Deduped, DedupeOptions
from textkin.verbs.dedupe.dedupe import dedupe as dedupe_texts
from textkin.verbs.dedupe.dedupe_file import dedupe_file
from textkin.verbs.dedupe.deduped_file import DedupedFile
from textkin.verbs.dedupe.evidence import Evidence
from textkin.verbs.inputs import file_of_texts, given_numbers, given_texts, given_vectors

Keeping = Sequence[float] | NDArray[np.float64] | str
"""Of which text a group keeps the highest: a number a text, or for files the name of a column."""


@overload
def dedupe(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: DedupeOptions | None = None,
    values: Keeping | None = None,
    out: None = None,
    evidence: None = None,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> Deduped: ...


@overload
def dedupe(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: DedupeOptions | None = None,
    values: Keeping | None = None,
    out: Path | str,
    evidence: Evidence | None = None,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> DedupedFile: ...


@checked
def dedupe(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: DedupeOptions | None = None,
    values: Keeping | None = None,
    out: Path | str | None = None,
    evidence: Evidence | None = None,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> Deduped | DedupedFile:
    """Decide which texts can go. The same texts give the same result in any order.

    Args:
        data: texts in any sequence, or the path of a file of texts.
        model: an encoder, its folder or name; the one in the box if neither it nor ``embeddings`` is given.
        embeddings: vectors of the texts, from any source: an array or a NumPy file, shape [texts, dim].
        options: what counts as the same, and what stays; see :class:`DedupeOptions`.
        values: for ``Keep.HIGHEST``: a number a text, or with ``out`` the name of a column of numbers.
        out: for files: the folder to write, as ``textkin dedupe`` does. Left out, all is in the result.
        evidence: with ``out``: a sample to judge, answers, known groups; see :class:`Evidence`.
        reading: how the file is read.
        where: ``on="ray"`` has the workers of Ray do the work, here or at an ``address``, with the same
            result. ``address="auto"`` finds a Ray that is running already.

    Raises:
        UsageError: arguments are out of range or don't go together, or ``data`` holds what is no text.
        ModelError: there is no such encoder, or it has no threshold for the wanted precision.
        DataError: there is no text, vectors have no finite numbers, or more pairs are similar than can be
            held, and the options ask for all.
        OutputError: the folder can't be written to.

    Example:
        >>> import textkin as tk
        >>> texts = ["When do you open?", "When do you open?", "Where can I park?"]
        >>> found = tk.dedupe(texts, options=tk.DedupeOptions(threshold=0.9))
        >>> [texts[place] for place in found.kept]
        ['When do you open?', 'Where can I park?']
    """
    embeddings = given_vectors(embeddings)
    if out is None:
        if evidence is not None:
            raise required("out", by="`evidence`", fix="give a path and `out`")
        if isinstance(values, str):
            raise invalid("values", values, expected="one number per text, or a column with `out`")
        texts = given_texts(data, reading, vectors=embeddings)
        return dedupe_texts(
            texts.texts,
            model,
            embeddings=embeddings,
            options=options,
            ids=texts.ids,
            values=None if values is None else given_numbers(values, "values"),
            **where,
        )
    source = file_of_texts(data)
    if not isinstance(model, str | Path | None) or isinstance(embeddings, np.ndarray):
        raise UsageError(
            "with `out`, `model` and `embeddings` must be paths: the report holds their hashes",
            params=("model", "embeddings"),
        )
    if not isinstance(values, str | None):
        raise invalid("values", values, expected="the name of a column, with `out`")
    return dedupe_file(
        source,
        out,
        model=None if model is None else str(model),
        embeddings=None if embeddings is None else Path(embeddings),
        options=options,
        keep_column=values,
        evidence=evidence,
        reading=reading,
        **where,
    )
