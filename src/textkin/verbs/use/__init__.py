"""A model in use: scores, vectors, and the machine that it runs on."""
