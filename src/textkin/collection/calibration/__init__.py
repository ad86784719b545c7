"""What judged queries teach a collection, and when it has outgrown that."""
