"""Match texts against a collection, one by one or as a stream."""
