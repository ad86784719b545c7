"""Metrics, intervals and tests, decisions by thresholds, and what labels of people prove."""
