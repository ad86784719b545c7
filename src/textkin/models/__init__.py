"""Trainable architectures, one file each, assembled from ``nn/``."""
