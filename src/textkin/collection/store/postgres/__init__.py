"""A collection in PostgreSQL: its tables, its errors, its index of vectors."""
