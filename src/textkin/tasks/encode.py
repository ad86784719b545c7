"""Encode the texts of a file to a file of vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from textkin.errors import UsageError
from textkin.files import atomic_path
from textkin.protocols import Encoder
from textkin.readers import load_texts
from textkin.readers.report import ReadReport
from textkin.tasks.resolve import resolve


@final
@dataclass(frozen=True, slots=True)
class Encoded:
    """What was written.

    Attributes:
        model: how tables call the encoder.
        count: texts, one row each.
        dim: width of the vectors.
        out: the file of vectors.
        ids: the texts' ids in the order of the rows: those of the source, or line or row numbers from 1.
        read: what the reader skipped.
    """

    model: str
    count: int
    dim: int
    out: Path
    ids: tuple[str, ...]
    read: ReadReport


def encode_file(
    model: str, texts: Path | str, out: Path | str, *, vectors: Path | None = None, **reading: Any
) -> Encoded:
    """Write the vectors of texts as float32 in NumPy's format, shape [texts, dim], whole or not at all.

    Args:
        model: a folder with an encoder, the name of a cached one, or the baseline mean-vectors.
        texts: plain text with one text a line, or a table.
        out: the file to write.
        vectors: for the baseline mean-vectors.
        **reading: ``column`` and ``quoting`` for ``readers.load_texts``.

    Raises:
        UsageError: the model compares texts without placing them in a space, or ``out`` is the input.
        DataError: the file can't be read.
        ModelError: the model can't be read.
        OutputError: the vectors can't be written.
    """
    source, target = Path(texts), Path(out)
    if source.resolve() == target.resolve():
        raise UsageError(f"{target} is the file of texts", fix="choose another file for the vectors")
    loaded = load_texts(source, **reading)
    encoder = resolve(model, fit_texts=loaded.data.texts, vectors=vectors)
    if not isinstance(encoder, Encoder):
        raise UsageError(
            f"{model} compares texts but gives no vectors",
            fix="name an encoder, or mean-vectors with word vectors",
        )
    values = encoder.encode(loaded.data.texts)
    with atomic_path(target) as temporary, temporary.open("wb") as stream:
        np.save(stream, values, allow_pickle=False)
    return Encoded(encoder.name, len(values), encoder.dim, target, loaded.data.ids, loaded.report)
