"""Short codes of texts."""
