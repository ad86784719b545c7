"""Duplicate texts that can be removed."""
