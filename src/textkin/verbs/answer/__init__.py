"""Which words of which passage answer a question."""
