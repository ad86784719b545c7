"""Records of all kinds, protocols, readers that make records from files, and leak-free splits."""
