"""How sure a figure is: intervals, tests of differences, corrections, and what a test set can show at all."""
