"""Metrics of rankings, scored pairs and probabilities. ``intervals`` has their confidence intervals."""
