"""Collections: search, match, add, remove."""
