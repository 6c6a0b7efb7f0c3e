"""Requests: the input of each use case, with every default, bound and description in one place.

Nothing heavy is imported here: the terminal reads its options from these models.
"""
