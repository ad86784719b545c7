"""Parts of ``benchmarks/fuzz.py``: what is mutated, how, and what must hold of it."""
