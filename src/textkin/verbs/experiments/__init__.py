"""Models trained, compared and reported in one run: studies, contests, and their verification."""
