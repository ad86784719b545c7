"""Codes on the disk and in memory, with the settings to make codes of other texts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, ModelError, UsageError, inapplicable, said
from textkin.base.hub import located
from textkin.base.json_records import restored
from textkin.base.paths import exists
from textkin.kinds.code_fidelity import Fidelity
from textkin.models.provenance import hash_of_model
from textkin.vectors.unique_texts import read_vectors
from textkin.verbs.codes.codes import CodeOptions, Codes, CodesRecord

_IN_MEMORY = Path("this result")
_AGAIN = "make the codes again: `encode()` with `bits`"


@dataclass(frozen=True, slots=True, eq=False)
class StoredCodes:
    """Codes to search, with their ids and how they were made.

    Attributes:
        path: path of the codes; of codes in memory a word for them.
        codes: shape [texts, bytes].
        ids: ids of the texts.
        options: the options of codes.
        model: the name that the encoder had, or the encoder; None of codes without one.
        model_sha256: its hash; "" of codes in memory.
        of_vectors: whether they were made of given vectors.
        recall: of the codes against exact cosines, and its number of neighbours; None if not measured.
        texts: the texts of codes in memory.
    """

    path: Path
    codes: NDArray[np.uint8]
    ids: Sequence[Any]
    options: CodeOptions
    model: Any
    model_sha256: str
    of_vectors: bool
    recall: tuple[float, int] | None
    texts: Sequence[str] = ()

    @classmethod
    def of_result(cls, found: Codes) -> Self:
        """Codes in memory."""
        known, recall = found.coded, _recall(found.fidelity)
        assert known is not None  # noqa: S101 - a verb made them
        return cls(
            *(_IN_MEMORY, found.codes, known.ids, known.options, known.model, "", known.of_vectors, recall),
            known.texts,
        )


def model_of(stored: StoredCodes, model: Any, embeddings: Any) -> Any:
    """The model that makes codes of queries as those were made; None where it takes none.

    Raises:
        UsageError: the codes were made of something else than was given.
        ModelError: it is another model.
    """
    if stored.of_vectors:
        if model is not None or embeddings is None:
            raise UsageError(
                f"{stored.path} was made from your own vectors",
                fix="give those of the queries as `embeddings`, and no `model`",
                params=("embeddings", "model"),
            )
        return None
    if embeddings is not None:
        raise inapplicable("embeddings", to=f"{stored.path}, which wasn't made from your own vectors")
    if stored.model is None:
        if model is not None:
            raise inapplicable("model", to=f"{stored.path}, whose codes are of {stored.options.of}")
        return None
    name = stored.model if model is None else model
    if stored.model_sha256 and hash_of_model(located(name)) != stored.model_sha256:
        raise ModelError(
            f"{name} is not the model that {stored.path} was made of (SHA-256 {stored.model_sha256[:12]})",
            fix="give that model as `model`, or make the codes again",
        )
    return name


def read_codes(path: Path) -> StoredCodes:
    """The three files of codes.

    Raises:
        DataError: one is missing, or is something else.
    """
    if not exists(path):
        raise DataError("no such file", path=path, fix="check the path")
    about = path.with_suffix(".json")
    try:
        record = restored(CodesRecord, json.loads(about.read_text(encoding="utf-8-sig")), finite=True)
        options = CodeOptions(of=record.of, bits=record.bits, seed=record.seed)
        if record.of == "meaning" and record.model is None and record.vectors is None:
            raise ValueError("model is missing")
    except OSError as error:
        raise DataError(
            f"can't be read: {error.strerror}; it says how the codes were made", path=about, fix=_AGAIN
        ) from error
    except (ValueError, RecursionError, UsageError) as error:
        raise DataError(
            f"does not say how the codes were made: {said(error)}", path=about, fix=_AGAIN
        ) from error
    codes = read_vectors(path)
    if codes.ndim != 2 or codes.dtype != np.uint8 or 8 * codes.shape[1] != options.bits or not len(codes):
        raise DataError(
            f"holds numbers of type {codes.dtype} and shape {codes.shape}, and {about.name} tells of codes "
            f"of {options.bits} bits",
            path=path,
            fix=_AGAIN,
        )
    ids = _read_ids(path.with_suffix(".ids.txt"), len(codes))
    of_vectors, recall = record.vectors is not None, _recall(record.fidelity)
    model = None if of_vectors else record.model
    return StoredCodes(
        path, np.asarray(codes), ids, options, model, record.model_sha256 or "", of_vectors, recall
    )


def _read_ids(path: Path, count: int) -> tuple[str, ...]:
    try:
        ids = tuple(path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n"))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError("the ids of the texts can't be read", path=path, fix=_AGAIN) from error
    if len(ids) != count:
        raise DataError(f"holds {len(ids):,} ids of {count:,} codes", path=path, fix=_AGAIN)
    return ids


def _recall(fidelity: Fidelity | None) -> tuple[float, int] | None:
    return None if fidelity is None else (fidelity.recall, fidelity.nearest)
