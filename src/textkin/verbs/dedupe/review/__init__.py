"""A person goes through the groups of a deduplication: accepts, splits and merges them."""
