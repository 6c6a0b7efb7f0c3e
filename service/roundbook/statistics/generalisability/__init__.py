"""Generalisability theory: variance components and the reliability of a round."""
