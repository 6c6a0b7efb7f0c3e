"""Plans: how many topics the next round needs, and what became of the plans that were saved."""
