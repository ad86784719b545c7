"""Groups of texts that mean nearly the same, with names."""
