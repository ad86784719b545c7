"""Defaults of studies and contests; a light module, since the commands' help loads it."""

MODELS = ("static", "siamese-lstm", "siamese-bag")
SMALL = 3000
"""The most pairs in a file with which studies train ``minilm`` too, unless they are told what to train."""

ANALYSER = "english"


def models_for(pairs: int) -> tuple[str, ...]:
    """What a study of so many pairs trains where nobody says what.

    The transformer learns some 10 to 60 pairs a second and core. The number of pairs decides and not the time
    they would take, so that a study has the same models on every machine.
    """
    return (*MODELS, "minilm") if pairs <= SMALL else MODELS
