"""Calibration of a collection on judged queries, and its staleness."""
