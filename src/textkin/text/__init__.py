"""Text processing: from strings to token ids, and from word vector files to matrices. No torch."""
