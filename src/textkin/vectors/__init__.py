"""Vectors: which are similar, what finds among them, which texts they group, and the same on Ray."""
