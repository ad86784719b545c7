"""Passports: what a model is, on 64 texts, so that another one is recognised and refused."""

from textkin.passports.canaries import Canaries, bundled_canaries
from textkin.passports.check import Checked, compare, require
from textkin.passports.document import ExportLoss, Gives, Passport, PassportDecision
from textkin.passports.drift import Drift, DriftRule
from textkin.passports.files import read_passport, write_passport
from textkin.passports.make import hash_in_passport, passport_of
from textkin.passports.matching import PassportMatching

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
