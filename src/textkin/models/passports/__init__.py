"""Passports: a model's identity on 64 texts, so that a different model is rejected."""
