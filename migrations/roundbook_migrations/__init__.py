"""The schema's migrations, shipped with the program."""
