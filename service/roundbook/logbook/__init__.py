"""The use cases: one function each, one transaction each, one frozen result each."""
