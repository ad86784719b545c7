"""Data of the tests of verbs."""

from textkin.data import samples
from textkin.measures.intervals.sampling import Sampling

QUICK = Sampling(40, 40)
TRAIN, DEV = samples.pairs("travel")[::3], samples.pairs("cooking")[::3]
LEAKING = [*DEV, *TRAIN[:40]]
"""Pairs for dev or test, some of which are training pairs."""

TEXTS = samples.path("inbox.txt").read_text(encoding="utf-8").splitlines()[:50]
ROWS = samples.pairs("travel")[::2]
