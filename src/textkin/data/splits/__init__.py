"""Leak-free splits, the duplicate graph and the data linter.

``keys`` and ``near`` say which texts are the same, ``components`` which belong together, ``partition`` puts
components on sides (``assign`` places them, ``cut`` takes giants apart), ``proof`` counts what sets share,
``lint`` finds what is odd (``checks``, ``findings``), ``quora_ir`` follows the rules of a published split.
"""
