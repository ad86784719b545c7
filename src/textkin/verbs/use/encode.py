"""``encode``: vectors of texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from textkin.base.options import Option, options_of
from textkin.base.verbs import unknown_option, verb
from textkin.verbs.options import (
    Download,
    Dtype,
    Embeddings,
    EncoderArgument,
    EncodingName,
    IdColumn,
    Quoting,
    Ray,
    RayAddress,
    TextColumn,
    Texts,
    WordVectors,
)

if TYPE_CHECKING:
    from textkin.data.encode_arguments import EncodeArguments


Out = Annotated[
    Path | None,
    Option("NumPy file to write. For a folder of files part-*, a folder.", metavar="FILE.npy", required=True),
]
TextSide = Annotated[
    Literal["text", "query", "document"],
    Option(
        "Side of the texts, for models with prompts: queries, documents that queries search, or neither.",
        panel="Model",
    ),
]
Bits = Annotated[
    int | None,
    Option(
        "Make codes of B bits (a multiple of 8), not vectors. Codes of similar texts differ in few bits.",
        metavar="B",
        low=8,
    ),
]
CodesOf = Annotated[
    Literal["meaning", "words", "letters"] | None,
    Option(
        "With `bits`: codes of meaning, by an encoder, or of runs of two words or four letters, without one. "
        "Default: meaning.",
        rare=True,
    ),
]
CodeSample = Annotated[
    int | None,
    Option(
        "With `bits`: texts on which the codes are measured. Default: 2,000.", metavar="N", low=0, rare=True
    ),
]
CodeSeed = Annotated[
    int | None,
    Option("With `bits`: random seed. Default: 0.", metavar="N", low=0, high=2**32 - 1, rare=True),
]


@verb
def encode(
    texts: Texts,
    /,
    model: EncoderArgument = None,
    *,
    out: Out = None,
    bits: Bits = None,
    text: TextColumn = None,
    id: IdColumn = None,
    side: TextSide = "text",
    vectors: WordVectors = None,
    dtype: Dtype = "auto",
    of: CodesOf = None,
    embeddings: Embeddings = None,
    sample: CodeSample = None,
    seed: CodeSeed = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
    on: Ray = None,
    address: RayAddress = None,
    **arguments: Unpack[EncodeArguments],
) -> Any:
    """Encode texts: one vector per text, in their order.

    The ids of the texts are written to VECTORS.ids.txt. A file may be of any size, and an interrupted call
    resumes. A folder of files part-* becomes a folder of vectors with a manifest of hashes. The same call
    again makes what is missing or has changed. Codes of bits are compared with exact cosines on a sample;
    search finds the nearest.

    Returns:
        Vectors, shape [texts, dim], or [dim] of a single string; with ``out`` an :class:`Encoded`, or an
        :class:`EncodedShards`; with ``bits`` :class:`Codes`. ``arguments`` are those of
        ``SentenceTransformer.encode``: ``batch_size``, ``normalize_embeddings``, ``show_progress_bar``,
        ``convert_to_numpy``, ``convert_to_tensor``, ``prompt`` and ``prompt_name``.

    Raises:
        TypeError: there is no such argument.
        UsageError: the model gives no vectors or can't compute in ``dtype``, or ``texts`` holds what is not a
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
    from textkin.base.errors import conflict, inapplicable
    from textkin.data.encode_arguments import EncodeArguments
    from textkin.data.protocols import Side
    from textkin.kinds.systems import fetch_named, refuse_vectors
    from textkin.vectors.on_ray.location import Workplace, check_where
    from textkin.verbs.inputs import refuse_given, text_reading
    from textkin.verbs.use.encode_shards import encode_path
    from textkin.verbs.use.encoded_texts import encode_texts

    known = [one.name for one in options_of(encode)] + list(EncodeArguments.__annotations__)
    if strange := next((one for one in arguments if one not in known), None):
        raise TypeError(unknown_option("encode", strange, known))
    where = Workplace(on=on, address=address)
    check_where(**where)
    if arguments and on is not None:
        raise inapplicable(*arguments, to=f"`on={on}`")
    if arguments and out is not None:
        raise conflict(*arguments, "out")
    fetch_named(model, download=download)
    reading = text_reading(text, id, quoting, encoding, texts)
    codes = {"of": of, "embeddings": embeddings, "sample": sample, "seed": seed}
    if bits is not None:
        from textkin.verbs.codes.codes import CodeOptions, codes_file, codes_given

        vectors_alone = {"vectors": vectors, "on": on, "dtype": dtype != "auto", "side": side != "text"}
        refuse_given({**vectors_alone, **arguments}, to="`bits`")
        sample = 2000 if sample is None else sample
        options = CodeOptions(of=of or "meaning", bits=bits, seed=seed or 0, sample=sample)
        if out is None:
            return codes_given(texts, model, embeddings=embeddings, options=options, reading=reading)
        return codes_file(texts, out, model=model, embeddings=embeddings, options=options, reading=reading)
    refuse_given(codes, to="vectors", fix="give `bits` for codes")
    model = "default" if model is None else model
    refuse_vectors(vectors, model)
    given_side = Side(side)
    if out is not None:
        return encode_path(
            texts, model, out, vectors=vectors, precision=dtype, side=given_side, reading=reading, **where
        )
    return encode_texts(
        texts,
        model,
        vectors=vectors,
        precision=dtype,
        side=given_side,
        reading=reading,
        arguments=arguments,
        **where,
    )
