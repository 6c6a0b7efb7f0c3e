"""The most rounds and topics that a chart of a page has; no drawing library is imported here."""

MOST_ROUNDS, MOST_TOPICS = 60, 120
