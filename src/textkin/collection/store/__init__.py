"""The collection on disk: texts, vectors and words that are added, removed, searched and lost never."""
