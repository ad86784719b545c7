"""Ensembles of scorers, classifiers, readers and choosers."""
