"""Pairs of texts that mean nearly the same."""
