"""Defaults of studies; a light module, since the commands' help loads it."""

MODELS = ("static", "siamese-lstm", "siamese-bag")
SMALL = 3000
"""Maximum number of pairs in a file for which studies also train ``minilm`` by default."""

ANALYSER = "english"


def models_for(pairs: int) -> tuple[str, ...]:
    """Default models of a study, by its number of pairs.

    The transformer learns some 10 to 60 pairs a second and core. The number of pairs decides and not the time
    they would take, so that a study has the same models on every machine.
    """
    return (*MODELS, "minilm") if pairs <= SMALL else MODELS
