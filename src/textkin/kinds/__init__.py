"""Kinds of data: their competing systems, their judges, and the findings."""
