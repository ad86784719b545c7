"""The version of textkin."""

__version__ = "0.1.0"
