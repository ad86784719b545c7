"""``tk.encode``: vectors of texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack, cast, overload

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import checked
from textkin.base.errors import conflict, inapplicable, invalid
from textkin.base.hub import DEFAULT
from textkin.base.paths import is_folder
from textkin.base.python_inputs import path_of, refuse_unknown
from textkin.data.encode_arguments import EncodeArguments, EncodesTexts
from textkin.data.protocols import Encoder, Side
from textkin.data.readers import TextReading
from textkin.kinds.systems import AnyModel, resolve
from textkin.text.baselines.names import BASELINES
from textkin.vectors.batched_encoding import Precision, in_precision
from textkin.vectors.on_ray.location import Workplace, check_where, engine_of
from textkin.verbs.inputs import file_of_texts, given_texts
from textkin.verbs.use.encode import Encoded, encode_file
from textkin.verbs.use.encode_shards import EncodedShards, encode_shards


class EncodeWhere(EncodeArguments, Workplace, total=False):
    """Arguments of ``SentenceTransformer.encode``, and where texts are encoded."""


@overload
def encode(
    data: Any,
    *,
    model: AnyModel = DEFAULT,
    vectors: Path | None = None,
    precision: Precision = "auto",
    side: Side = Side.TEXT,
    out: None = None,
    reading: TextReading | None = None,
    **arguments: Unpack[EncodeWhere],
) -> NDArray[np.float32]: ...


@overload
def encode(
    data: Any,
    *,
    model: AnyModel = DEFAULT,
    vectors: Path | None = None,
    precision: Precision = "auto",
    side: Side = Side.TEXT,
    out: Path | str,
    reading: TextReading | None = None,
    **arguments: Unpack[EncodeWhere],
) -> Encoded | EncodedShards: ...


@checked
def encode(
    data: Any,
    *,
    model: AnyModel = DEFAULT,
    vectors: Path | None = None,
    precision: Precision = "auto",
    side: Side = Side.TEXT,
    out: Path | str | None = None,
    reading: TextReading | None = None,
    **arguments: Unpack[EncodeWhere],
) -> NDArray[np.float32] | Encoded | EncodedShards:
    """Encode texts: one vector a text, in their order.

    Args:
        data: a text, texts in any sequence, or the path of a file of texts, or of a folder with files of
            texts called ``part-*``. A string is a path if something is there or it is written like one, and
            otherwise a text.
        model: an encoder, its folder or name, or the baseline mean-vectors; the one in the box if left out.
        vectors: for the baseline mean-vectors.
        precision: what a transformer computes in; "auto" measures whether bf16 pays.
        side: "query" or "document", for models that have prompts for them; else "text".
        out: for files: the NumPy file to write, as ``textkin encode`` does, in bounded memory; a killed call
            resumes; for a folder, the folder to write. Left out, the vectors are returned.
        reading: how the file is read.
        arguments: those of ``SentenceTransformer.encode``: ``batch_size``, ``normalize_embeddings``,
            ``show_progress_bar``, ``convert_to_numpy``, ``convert_to_tensor``, ``prompt``, ``prompt_name``.
            With ``on="ray"`` the workers of Ray encode, here or at an ``address``, and know none of these.

    Returns:
        Shape [texts, dim], or [dim] of a single string; with ``out`` an account of what was written.

    Raises:
        TypeError: there is no such argument.
        UsageError: the model gives no vectors or can't compute in ``precision``, or ``data`` holds what is no
            text.
        DataError: the file can't be read.
        ModelError: the model can't be read.
        OutputError: the vectors can't be written.

    Example:
        >>> import textkin as tk
        >>> tk.encode(["When do you open?", "Where can I park?"]).shape[0]
        2
        >>> tk.encode("When do you open?", normalize_embeddings=True).ndim
        1
    """
    refuse_unknown(arguments, EncodeWhere.__annotations__)
    where = Workplace(on=arguments.pop("on", None), address=arguments.pop("address", None))
    check_where(**where)
    if arguments and where["on"] is not None:
        raise inapplicable(*arguments, to=f"`on={where['on']}`")
    if out is not None:
        if arguments:
            raise conflict(*arguments, "out")
        source = file_of_texts(data)
        if not isinstance(model, str | Path):
            raise invalid("model", model, expected="a folder or a name, with `out`")
        make = encode_shards if is_folder(source) else encode_file
        return make(
            str(model), source, out, vectors=vectors, precision=precision, side=side, reading=reading, **where
        )
    texts = given_texts(data, reading, or_text=True).texts
    found = resolve(model, fit_texts=texts if model in BASELINES else (), vectors=vectors)
    if not isinstance(found, Encoder):
        raise invalid("model", found.name, expected="an encoder: this model gives no vectors")
    one = isinstance(data, str) and path_of(data, or_text=True) is None
    chosen = cast("EncodesTexts", in_precision(found, precision, texts)[0])  # as all are that resolve gives
    if where["on"] is None:
        return chosen.encode(texts[0] if one else texts, side=side, **cast("EncodeArguments", arguments))
    with engine_of(**where) as engine:
        vectors_there = engine.encoder(cast("Encoder", chosen)).encode(texts, side=side)
    return vectors_there[0] if one else vectors_there
