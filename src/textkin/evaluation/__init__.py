"""Judges: what measures systems on one kind of data, and what follows from the figures."""
