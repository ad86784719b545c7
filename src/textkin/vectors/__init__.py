"""Texts with their vectors: from an encoder or a file, in memory or streamed to disk."""
