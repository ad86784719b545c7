"""Options that the verbs of phrases share."""

from typing import Annotated, Literal

from textkin.base.options import Option

PhraseModel = Annotated[
    str,
    Option(
        "Encoder of phrases: phrases, the built-in one; a model of a recipe spans-piqa...; or tfidf, the "
        "baseline without a network. In files, phrases+tfidf:WEIGHT adds both scores.",
        metavar="MODEL",
    ),
]
MovedModel = Annotated[
    str | None, Option("New location of the encoder, if it was moved.", metavar="MODEL", rare=True)
]
PerPassage = Annotated[
    int | None,
    Option(
        "Keep the N phrases of a passage with the highest priors, the encoder's probabilities of being an "
        "answer to any question.",
        metavar="N",
        low=1,
    ),
]
Dtype = Annotated[Literal["float32", "float16", "int8"], Option("Number type: 4, 2 or 1 bytes.")]
