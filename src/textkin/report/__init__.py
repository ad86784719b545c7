"""What a study found, as one HTML page, JSON, Markdown and the rows of a terminal table."""
