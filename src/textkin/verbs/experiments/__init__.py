"""Models trained, compared and reported in one run: studies, and their verification."""
