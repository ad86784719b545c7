"""Defaults of studies and contests; a light module, since the commands' help loads it."""

MODELS = ("static", "siamese-lstm", "siamese-bag")
ANALYSER = "english"
