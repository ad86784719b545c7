"""Folders of other libraries, read into textkin's models, and written for those libraries."""
