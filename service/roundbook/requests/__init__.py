"""Requests: what each use case can be asked, with every default, bound and description once.

Nothing heavy is imported here: the terminal reads its options from these models.
"""
