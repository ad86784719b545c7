"""Which vectors are similar: all pairs above a threshold, and the nearest of each, exactly."""
