"""``hash``: make short codes of texts, and search them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import (
    Download,
    Embeddings,
    EncoderModel,
    EncodingName,
    IdColumn,
    Quoting,
    TextColumn,
    Texts,
)

if TYPE_CHECKING:
    from textkin.verbs.hash.hashed import Hashed, HashedFile
    from textkin.verbs.hash.search import CodeHits

Out = Annotated[
    Path | None,
    Option(
        "NumPy file to write; of a search a table of hits (.tsv, .csv, .jsonl, .parquet).", metavar="FILE"
    ),
]
Of = Annotated[
    Literal["meaning", "words", "letters"] | None,
    Option("Codes of meaning, by an encoder, or of runs of two words or four letters. Default: meaning."),
]
Bits = Annotated[int | None, Option("Bits of a code, a multiple of 8. Default: 256.", metavar="B", low=8)]
Codes = Annotated[
    Path | None,
    Option(
        "Look the texts up in a file of codes, with the options by which it was made.", metavar="CODES.npy"
    ),
]
Nearest = Annotated[
    int | None,
    Option(
        "Number of codes found for each text. Default: 10.",
        flag="-k",
        metavar="K",
        low=1,
        high=10_000,
    ),
]
Bands = Annotated[
    int | None,
    Option(
        "Compare only codes that share one of N bands of bits with the text. Faster; the recall is measured.",
        metavar="N",
        low=1,
        rare=True,
    ),
]
Sample = Annotated[
    int,
    Option("Number of texts on which the codes, or the bands, are measured.", metavar="N", low=0, rare=True),
]
HashSeed = Annotated[
    int | None, Option("Random seed. Default: 0.", metavar="N", low=0, high=2**32 - 1, rare=True)
]


@verb
def hash_texts(
    texts: Texts,
    /,
    model: EncoderModel = None,
    *,
    out: Out = None,
    of: Of = None,
    bits: Bits = None,
    search: Codes = None,
    k: Nearest = None,
    bands: Bands = None,
    text: TextColumn = None,
    id: IdColumn = None,
    sample: Sample = 2000,
    seed: HashSeed = None,
    embeddings: Embeddings = None,
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
) -> Hashed | HashedFile | CodeHits:
    """Make short codes of texts; codes of similar texts differ in few bits.

    Bits are signs of random projections. Codes that differ in h of B bits are of texts with a cosine of about
    cos(pi h / B). The codes are compared with exact cosines on a sample. A file gets two others beside it:
    .ids.txt, and .json with all that makes the same codes again.

    Returns:
        :class:`Hashed`; with ``out``, a :class:`HashedFile`; with ``search``, a :class:`CodeHits`.

    Raises:
        UsageError: options exclude each other, or ``texts`` holds something other than strings.
        DataError: there is no text, or the vectors don't fit.
        ModelError: there is no such encoder, or it isn't the one of the codes to search.
        OutputError: the file can't be written.

    Example:
        >>> import textkin as tk
        >>> tk.hash_texts(["When do you open?", "Where can I park?"], bits=128).codes.shape
        (2, 16)
    """
    from textkin.base.errors import inapplicable, required
    from textkin.kinds.systems import fetch_named
    from textkin.verbs.hash.hashed import HashOptions, hash_file, hash_given
    from textkin.verbs.hash.search import CodeSearch, search_file
    from textkin.verbs.inputs import text_reading

    fetch_named(model, download=download)
    reading = text_reading(text, id, quoting, encoding)
    if search is not None:
        if given := [name for name, one in (("of", of), ("bits", bits), ("seed", seed)) if one is not None]:
            raise inapplicable(*given, to="`search`: the codes are made as those of its file")
        if out is None:
            raise required("out", by="`search`")
        how = CodeSearch(nearest=10 if k is None else k, bands=bands, sample=sample)
        return search_file(
            texts, search, out, model=model, embeddings=embeddings, options=how, reading=reading
        )
    if given := [name for name, one in (("k", k), ("bands", bands)) if one is not None]:
        raise required("search", by=f"`{given[0]}`")
    options = HashOptions(
        of=of or "meaning", bits=256 if bits is None else bits, seed=seed or 0, sample=sample
    )
    if out is None:
        return hash_given(texts, model, embeddings=embeddings, options=options, reading=reading)
    return hash_file(texts, out, model=model, embeddings=embeddings, options=options, reading=reading)
