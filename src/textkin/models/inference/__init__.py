"""Inference with trained networks: the only package with batches for inference and devices."""

from textkin.base.extras import import_torch

import_torch()  # before a module here imports it
