"""Labelling until a precision is proven: the next pair, the answers, and the proof."""
