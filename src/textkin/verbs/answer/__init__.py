"""Answers to questions as spans of passages."""
