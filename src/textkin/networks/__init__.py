"""Networks: layers, architectures, losses, batches, and the recipes that combine them."""
