"""Passports: a model's identity on 64 texts, so that a different model is rejected."""

from textkin.models.passports.canaries import Canaries, bundled_canaries
from textkin.models.passports.checking import Checked, compare, require
from textkin.models.passports.document import ExportLoss, Gives, Passport, PassportDecision, PassportMatching
from textkin.models.passports.drift import Drift, DriftRule
from textkin.models.passports.making import hash_in_passport, passport_of, read_passport, write_passport

__all__ = [
    "Canaries",
    "Checked",
    "Drift",
    "DriftRule",
    "ExportLoss",
    "Gives",
    "Passport",
    "PassportDecision",
    "PassportMatching",
    "bundled_canaries",
    "compare",
    "hash_in_passport",
    "passport_of",
    "read_passport",
    "require",
    "write_passport",
]
