"""From token ids to padded batches: which rows go together, and which texts may be each other's negatives."""
