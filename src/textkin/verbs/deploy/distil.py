"""``distil``: turn a transformer into a static encoder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import Download

if TYPE_CHECKING:
    from textkin.verbs.deploy.distil_model import Distilled

_DIM = 128

TeacherModel = Annotated[
    Any,
    Option(
        "Folder of a sentence encoder on a transformer, or a cached Hugging Face name.",
        metavar="TEACHER",
        command=str,
    ),
]
Out = Annotated[Path, Option("Folder for the static encoder.", metavar="DIR")]
Dim = Annotated[int | None, Option(f"Width of the vectors. Default: {_DIM}.", metavar="N", low=1)]
Pca = Annotated[bool, Option("Reduce to principal components, or keep the teacher's dimensions.")]
Sif = Annotated[
    float,
    Option(
        "Weight of frequent tokens: a / (a + share of all tokens); inf weighs all alike.",
        metavar="A",
        rare=True,
    ),
]
Vocabulary = Annotated[
    Path | None,
    Option("Words that get vectors of their own, one a line, beside the tokens.", metavar="FILE"),
]
Frequencies = Annotated[
    Path | None,
    Option("Lines of a token, a tab and its count. Default: Zipf's law.", metavar="FILE", rare=True),
]
Texts = Annotated[
    Any,
    Option(
        "Unlabelled texts of your domain, to which the vectors are fitted. May be repeated.",
        metavar="FILE",
        command=list[Path],
    ),
]
Strength = Annotated[
    float, Option("Regularisation of that fit towards the tokens' own vectors.", metavar="X", rare=True)
]
Epochs = Annotated[
    int,
    Option(
        "Passes over the texts in which they learn the teacher's similarities; 0 for none.",
        metavar="N",
        low=0,
        rare=True,
    ),
]
StoredType = Annotated[
    Literal["float32", "float16", "int8"],
    Option("Number type of the vectors. sentence-transformers doesn't open int8."),
]
Ngrams = Annotated[
    int,
    Option(
        "Rows for character n-grams, from which unknown Latin words get vectors; 0 for none.",
        metavar="N",
        low=0,
        rare=True,
    ),
]


@verb
def distil(
    teacher: TeacherModel,
    /,
    *,
    out: Out,
    texts: Texts = None,
    dim: Dim = None,
    pca: Pca = True,
    stored: StoredType = "int8",
    vocabulary: Vocabulary = None,
    frequencies: Frequencies = None,
    sif: Sif = 1e-4,
    strength: Strength = 1.0,
    epochs: Epochs = 2,
    ngrams: Ngrams = 2048,
    download: Download = False,
) -> Distilled:
    """Turn a transformer into a static encoder, which is far faster.

    Each token goes through the teacher alone. The vectors are reduced to their principal components, and
    weighted by how rare their tokens are. Texts of your own domain make the result better. textkin, model2vec
    and sentence-transformers open the folder.

    Returns:
        :class:`Distilled`.

    Raises:
        ModelError: the teacher can't be read, or is no transformer.
        DataError: a file of words, frequencies or texts can't be read.
        UsageError: an option does not fit the teacher, or ``out`` holds something else.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> try:
        ...     tk.distil("default", out="small")
        ... except tk.TextkinError as error:
        ...     print(type(error).__name__)
        ModelError
    """
    from textkin.base.errors import conflict
    from textkin.kinds.systems import fetch
    from textkin.verbs.deploy.distil_model import DistilOptions, distil_model
    from textkin.verbs.pair_inputs import paths_of

    if not pca and dim is not None:
        raise conflict("pca", "dim", why="without principal components the teacher's dimensions stay")
    if download:
        fetch(str(teacher))
    options = DistilOptions(
        dim=(dim or _DIM) if pca else None,
        sif=sif,
        vocabulary=vocabulary,
        frequencies=frequencies,
        texts=paths_of(texts, "texts"),
        strength=strength,
        epochs=epochs,
        stored=stored,
        ngrams=ngrams,
    )
    return distil_model(teacher, out=out, options=options)
