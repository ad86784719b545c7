"""Training: objectives, the loop, checkpoints."""
