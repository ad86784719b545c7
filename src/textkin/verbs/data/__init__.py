"""Data before a model: split, lint, convert."""
