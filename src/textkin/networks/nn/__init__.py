"""Layers that models are assembled from; each excludes padding.

Shapes everywhere: B texts, L tokens, D width of an embedding, H width of a hidden state.
"""
