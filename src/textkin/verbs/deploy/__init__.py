"""A model for elsewhere: distilled or exported."""
