"""Which texts go together, and which one of them stays."""
