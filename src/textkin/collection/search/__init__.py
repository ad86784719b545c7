"""Search in a collection: rankings by words and by vectors, fused, reranked, explained."""
