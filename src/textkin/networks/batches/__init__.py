"""From token ids to padded batches: grouping of rows, and valid in-batch negatives."""
