"""Pairs of texts that say nearly the same."""
