"""Models that exist: compared, calibrated, measured."""
