"""Results of earlier runs in a folder: studies, deduplications, measurements."""
