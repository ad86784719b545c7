"""Collections: entries that are added, searched, matched and watched, and indexes of phrases."""
