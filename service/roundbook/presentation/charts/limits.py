"""How much a chart of a page has at most, whatever the record holds; nothing that draws is imported."""

MOST_ROUNDS, MOST_TOPICS = 60, 120
