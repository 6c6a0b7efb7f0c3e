"""Drift: whether an earlier round's standardisation factors still hold in a later one."""
