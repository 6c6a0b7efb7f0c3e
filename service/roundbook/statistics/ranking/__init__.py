"""Rankings of runs: their agreement and how far the topics determine them."""
