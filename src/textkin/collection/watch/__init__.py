"""Watch a collection's matches for drift since calibration: ok, drifting, or broken."""
