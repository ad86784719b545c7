"""Folders of other libraries: read into textkin's models, and written so that those libraries open them."""
