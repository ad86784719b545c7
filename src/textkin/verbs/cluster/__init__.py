"""Groups of texts that say nearly the same, with names."""
