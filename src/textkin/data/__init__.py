"""Records of all kinds, the seams, readers that make records of files, and splits that share no text."""
