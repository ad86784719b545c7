"""``distil``: turn a transformer into a static encoder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import Download, Seed

if TYPE_CHECKING:
    from textkin.verbs.deploy.distil_model import Distilled
    from textkin.verbs.deploy.distil_student import TaughtStudent

_DIM, _SIF = 128, 1e-4

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
    Option("Words that get vectors of their own, one per line, beside the tokens.", metavar="FILE"),
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
    int | None,
    Option(
        "Passes over the texts in which they learn the teacher's similarities; 0 for none. Default: 2. "
        "Over translations: 8 for a static student, 5 for a transformer.",
        metavar="N",
        low=0,
        rare=True,
    ),
]
Parallel = Annotated[
    Any,
    Option(
        "Texts with their translations: the student learns the teacher's vector of a text for both. First "
        "column: the text; others: translations (.tsv, .csv, .jsonl).",
        metavar="FILE",
        command=Path,
        python="Also rows of texts, or a mapping from a text to its translations.",
    ),
]
Student = Annotated[
    Any,
    Option(
        "Encoder that learns the translations. Default: default, the built-in one of nine languages.",
        metavar="MODEL",
        command=str,
    ),
]
Dev = Annotated[
    Any,
    Option(
        "Translations to measure on. Default: a tenth of `parallel`, which isn't learnt from.",
        metavar="FILE",
        command=Path,
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
    parallel: Parallel = None,
    student: Student = None,
    dev: Dev = None,
    dim: Dim = None,
    pca: Pca = True,
    stored: StoredType = "int8",
    vocabulary: Vocabulary = None,
    frequencies: Frequencies = None,
    sif: Sif = _SIF,
    strength: Strength = 1.0,
    epochs: Epochs = None,
    ngrams: Ngrams = 2048,
    seed: Seed = 0,
    download: Download = False,
) -> Distilled | TaughtStudent:
    """Turn a transformer into a static encoder, or teach an encoder other languages.

    Each token goes through the teacher alone. The vectors are reduced to their principal components, and
    weighted by how rare their tokens are. Texts of your own domain make the result better. textkin, model2vec
    and sentence-transformers open the folder.

    With `parallel`, an encoder learns the teacher's vectors of texts, for these and for their translations;
    its folder is DIR/model. How often it finds translations is measured before and after.

    Returns:
        :class:`Distilled`; with ``parallel``, :class:`TaughtStudent`.

    Raises:
        ModelError: the teacher can't be read, or is not a transformer.
        DataError: a file of words, frequencies, texts or translations can't be read.
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
    from textkin.kinds.systems import fetch_named
    from textkin.verbs.deploy.distil_model import DistilOptions, distil_model
    from textkin.verbs.inputs import refuse_given
    from textkin.verbs.pair_inputs import paths_of

    fetch_named(teacher, student, download=download)
    if parallel is not None:
        from textkin.verbs.deploy.distil_student import teach_student

        of_tokens = {"texts": texts, "dim": dim, "pca": not pca, "vocabulary": vocabulary}
        rare = {"stored": stored != "int8", "frequencies": frequencies, "sif": sif != _SIF}
        rare |= {"strength": strength != 1, "ngrams": ngrams != 2048}
        refuse_given({**of_tokens, **rare}, to="`parallel`")
        return teach_student(
            teacher,
            parallel,
            student="default" if student is None else student,
            out=out,
            dev=dev,
            epochs=epochs,
            seed=seed,
        )
    refuse_given({"student": student, "dev": dev, "seed": seed or None}, to="distillation without `parallel`")
    if not pca and dim is not None:
        raise conflict("pca", "dim", why="without principal components the teacher's dimensions stay")
    options = DistilOptions(
        dim=(dim or _DIM) if pca else None,
        sif=sif,
        vocabulary=vocabulary,
        frequencies=frequencies,
        texts=paths_of(texts, "texts"),
        strength=strength,
        epochs=2 if epochs is None else epochs,
        stored=stored,
        ngrams=ngrams,
    )
    return distil_model(teacher, out=out, options=options)
