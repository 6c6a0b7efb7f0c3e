"""Results in words, table rows and charts: pure functions that every door shares."""
