"""Trained models: folders, other libraries, inference, ensembles, passports, built-in encoders."""
