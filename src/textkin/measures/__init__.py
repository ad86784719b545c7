"""Metrics, intervals and tests, threshold decisions, and evidence from human labels."""
