"""Standardisation factors, and scores standardised by them."""
