"""Collection search: rankings by words and vectors, fused, reranked and explained."""
