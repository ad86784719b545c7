"""Similarity of vectors: all pairs above a threshold, and the nearest neighbours of each, exactly."""
