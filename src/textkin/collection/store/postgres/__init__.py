"""A collection in PostgreSQL: its tables, errors and vector index."""
