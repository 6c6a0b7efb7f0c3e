"""Plans: how many topics the next round needs, and the verification of saved plans."""
