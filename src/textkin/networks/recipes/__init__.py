"""Recipes: what to train and how, as TOML; the bundled ones and their bases lie here."""
