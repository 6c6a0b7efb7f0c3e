"""The commands of ``roundbook study``, one module a study."""
