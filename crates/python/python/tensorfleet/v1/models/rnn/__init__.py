"""Models of sequences."""
