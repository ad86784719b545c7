"""Datasets with a format of their own: one module each."""
