"""Distributed vector operations: split into pieces, run by workers, and merged."""
