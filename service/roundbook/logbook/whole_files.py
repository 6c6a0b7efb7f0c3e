"""The earlier name of `roundbook.logbook.atomic_files`."""

from roundbook.logbook.atomic_files import atomic_file as whole_file

__all__ = ["whole_file"]
