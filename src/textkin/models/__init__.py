"""Trainable architectures, one file each, assembled from ``nn/``."""

from textkin.extras import require_torch

require_torch()  # before a module here imports it
