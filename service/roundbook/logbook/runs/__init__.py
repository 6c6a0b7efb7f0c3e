"""Runs of a round: who sent them, what they retrieved, and how that was assessed."""
