"""The terminal: a thin door onto the logbook, one module a command group."""
