"""The use cases: each is a function that works in one transaction and returns a frozen result."""
