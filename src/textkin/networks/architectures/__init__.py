"""Trainable architectures, one file each, assembled from ``nn/``."""

from textkin.base.extras import import_torch

import_torch()  # before a module here imports it
