"""Vectors of texts, returned as an array."""

from pathlib import Path
from typing import Any, Unpack, cast

from textkin.base.arrays import Floats32
from textkin.base.errors import invalid
from textkin.base.python_inputs import path_of
from textkin.data.encode_arguments import EncodeArguments, EncodesTexts
from textkin.data.protocols import Encoder, Side
from textkin.data.readers import TextReading
from textkin.kinds.systems import AnyModel, resolve
from textkin.text.baselines.names import BASELINES
from textkin.vectors.batched_encoding import Precision, in_precision
from textkin.vectors.on_ray.location import Workplace, engine_of
from textkin.verbs.inputs import texts_from


def encode_texts(
    data: Any,
    model: AnyModel,
    *,
    vectors: Path | None,
    precision: Precision,
    side: Side,
    reading: TextReading,
    arguments: EncodeArguments,
    **where: Unpack[Workplace],
) -> Floats32:
    """Encode texts of any source. Shape [texts, dim], or [dim] of a single string.

    Args:
        data: a text, texts in any sequence or frame, or their file. A string is a path if something is there
            or it is written like one, and otherwise a text.
        model: an encoder, its folder or name, or the baseline mean-vectors.
        vectors: word vectors of mean-vectors.
        precision: the number type of a transformer.
        side: the side of the texts.
        reading: the columns of texts and ids, and the reading options of a file.
        arguments: those of sentence-transformers.
        where: the workplace: this process or Ray.

    Raises:
        UsageError: the model gives no vectors, or the data hold something other than strings.
        DataError: the file can't be read.
        ModelError: the model can't be read.
    """
    one = isinstance(data, str) and path_of(data, or_text=True) is None
    texts = texts_from([data] if one else data, reading, or_text=True).texts
    named = isinstance(model, str | Path) and str(model) in BASELINES
    found = resolve(model, fit_texts=texts if named else (), vectors=vectors)
    if not isinstance(found, Encoder):
        raise invalid("model", found.name, expected="an encoder: this model gives no vectors")
    chosen = cast("EncodesTexts", in_precision(found, precision, texts)[0])  # as all are that resolve gives
    if where["on"] is None:
        return chosen.encode(texts[0] if one else texts, side=side, **arguments)
    with engine_of(**where) as engine:
        vectors_there = engine.encoder(cast("Encoder", chosen)).encode(texts, side=side)
    return vectors_there[0] if one else vectors_there
