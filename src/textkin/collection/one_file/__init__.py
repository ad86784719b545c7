"""A collection with its encoder as the contents of one HTML file that searches without a server."""
