"""The collection on disk: texts, vectors and words, durably stored and searchable."""
