"""Recipes: the model and its training, as TOML; with bundled recipes and their bases."""
