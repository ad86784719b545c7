"""Measured results: one TOML file a subject, from which the pages under docs/results are made."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
