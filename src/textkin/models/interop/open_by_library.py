"""Folders opened by their target libraries, as a check."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.models.interop.folder_kinds import MODULES
from textkin.models.interop.hugging_face import silenced
from textkin.models.interop.tensor_graph import Rows


def open_sentence_transformers(folder: Path) -> Rows | None:
    """Open a folder in sentence-transformers: vectors, or logits; None if it isn't installed."""
    try:
        from sentence_transformers import CrossEncoder, SentenceTransformer
    except ImportError:
        return None
    from torch import nn

    where: dict[str, Any] = {"device": "cpu", "local_files_only": True}
    encoder = (folder / MODULES).is_file()
    with silenced(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about formats of older versions
        opened: Any = (SentenceTransformer if encoder else CrossEncoder)(str(folder), **where)

    def rows(texts: Sequence[Any]) -> NDArray[np.float32]:
        if encoder:
            found = opened.encode(list(texts), show_progress_bar=False)
        else:
            found = opened.predict(list(texts), activation_fn=nn.Identity(), show_progress_bar=False)
        return np.asarray(found, dtype=np.float32).reshape(len(texts), -1)

    return rows


def open_model2vec(folder: Path) -> Rows | None:
    """Open a folder in model2vec; None if it isn't installed."""
    try:
        from model2vec import StaticModel
    except ImportError:
        return None
    opened: Any = StaticModel.from_pretrained(folder, force_download=False)

    def rows(texts: Sequence[Any]) -> NDArray[np.float32]:
        return np.asarray(opened.encode(list(texts)), dtype=np.float32)

    return rows
