"""Results of earlier runs in a folder: studies, contests, deduplications, measurements."""
