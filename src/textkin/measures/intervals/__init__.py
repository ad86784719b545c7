"""Uncertainty of metrics: intervals, tests of differences, corrections, and power."""
