"""Impact: what rests on a score matrix, whether it still stands, how to renew it."""
