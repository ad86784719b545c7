"""Trained models: folders, other libraries, inference, ensembles, passports, and the encoders in the box."""
