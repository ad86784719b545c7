"""Grouping of similar texts, and the choice of the text to keep."""
