"""What other commands have left in a folder: studies, contests, deduplications, measurements."""
