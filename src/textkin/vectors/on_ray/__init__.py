"""The same work on several machines: cut into pieces, given to workers, put together again."""
