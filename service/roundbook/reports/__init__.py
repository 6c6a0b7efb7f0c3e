"""Reports of a task for readers outside the record: HTML, LaTeX tables, or a deposit."""
