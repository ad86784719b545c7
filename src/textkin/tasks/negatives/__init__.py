"""Hard negatives."""
