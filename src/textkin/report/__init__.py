"""The results of a study as an HTML page, JSON, Markdown and rows of a terminal table."""
