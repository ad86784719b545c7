"""Networks: bricks, architectures, losses, batches, and the recipes that put them together."""
