"""Has somebody said this before? Texts matched against a collection, one by one or as they come."""
