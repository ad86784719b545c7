"""Bricks that models are assembled from; each knows how to leave padding out.

Shapes everywhere: B texts, L tokens, D width of an embedding, H width of a hidden state.
"""
