"""Studies in sentences and tables."""
