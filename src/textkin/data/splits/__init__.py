"""Leak-free splits, the duplicate graph and the data linter.

``keys`` and ``near`` find equal texts, ``components`` groups them, ``partition`` assigns components to sides
(``assign`` chooses the sides, ``cut`` splits oversized ones), ``proof`` counts overlaps between sets,
``lint`` finds data errors (``checks``, ``findings``), and ``quora_ir`` follows the rules of a published
split.
"""
