"""Review of a deduplication's groups by a person, who accepts, splits and merges them."""
