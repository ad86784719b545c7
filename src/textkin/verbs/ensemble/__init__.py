"""Ensembles: several systems as one, fitted on dev."""
