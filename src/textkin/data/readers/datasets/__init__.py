"""Data sets that have a form of their own: one file each."""
