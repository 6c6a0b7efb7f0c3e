"""Runs of a round: their teams, their ranked lists, and the relevance assessments."""
