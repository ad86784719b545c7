"""Defaults of a study; a light module, since the command's help loads it."""

MODELS = ("static", "siamese-lstm", "siamese-bag")
