"""``tk.hash_texts``: short codes of texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError
from textkin.data.protocols import Encoder
from textkin.data.readers import TextReading
from textkin.verbs.hash.hash import Hashed, HashedFile, HashOptions, hash_file
from textkin.verbs.hash.hash import hash_texts as hash_given
from textkin.verbs.inputs import file_of_texts, given_texts, given_vectors


@overload
def hash_texts(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: HashOptions | None = None,
    out: None = None,
    reading: TextReading | None = None,
) -> Hashed: ...


@overload
def hash_texts(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: HashOptions | None = None,
    out: Path | str,
    reading: TextReading | None = None,
) -> HashedFile: ...


@checked
def hash_texts(
    data: Any,
    *,
    model: str | Path | Encoder | None = None,
    embeddings: NDArray[Any] | Path | str | None = None,
    options: HashOptions | None = None,
    out: Path | str | None = None,
    reading: TextReading | None = None,
) -> Hashed | HashedFile:
    """Make a code for each text: similar texts differ in few bits (Charikar 2002).

    Args:
        data: a text, texts in any sequence, or the path of a file of texts.
        model: for codes of meaning: an encoder, its folder or name; the one in the box if neither it nor
            ``embeddings`` is given.
        embeddings: or vectors of the texts, from any source: an array or a NumPy file, shape [texts, dim].
        options: what codes are made of; see :class:`HashOptions`.
        out: for files: the NumPy file to write, as ``textkin hash`` does. Left out, the codes are in the
            result.
        reading: how the file is read.

    Raises:
        UsageError: a model or vectors for codes of words or letters, or both; ``data`` holds what is no text.
        DataError: there is no text, or the vectors don't fit.
        ModelError: there is no such encoder.
        OutputError: the codes can't be written.

    Example:
        >>> import textkin as tk
        >>> options = tk.HashOptions(bits=128)
        >>> tk.hash_texts(["When do you open?", "Where can I park?"], options=options).codes.shape
        (2, 16)
    """
    embeddings = given_vectors(embeddings)
    if out is None:
        texts = given_texts(data, reading, or_text=True, vectors=embeddings).texts
        return hash_given(texts, model, embeddings=embeddings, options=options)
    source = file_of_texts(data)
    if not isinstance(model, str | Path | None) or isinstance(embeddings, np.ndarray):
        raise UsageError(
            "with `out`, `model` and `embeddings` must be paths: the codes' record holds their hashes",
            params=("model", "embeddings"),
        )
    return hash_file(
        source,
        out,
        model=None if model is None else str(model),
        embeddings=None if embeddings is None else Path(embeddings),
        options=options,
        reading=reading,
    )
