"""A collection in use: texts added, removed, searched and looked after."""
