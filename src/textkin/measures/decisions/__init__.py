"""From scores to decisions: thresholds fitted for a stated goal, and calibrated probabilities."""
