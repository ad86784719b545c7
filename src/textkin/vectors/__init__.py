"""Vectors: similarity search, indexes, grouping, and the same on Ray."""
