"""Kinds of data: what can compete on each, its judge, and what follows from the figures."""
