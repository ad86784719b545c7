"""Whether a collection's matches are still as they were at calibration: ok, drifting, or broken."""
