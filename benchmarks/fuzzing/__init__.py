"""Parts of ``benchmarks/fuzz.py``: targets, mutations, and the invariants to check."""
