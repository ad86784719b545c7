"""Training: one recipe or many, and the data that they learn from."""
