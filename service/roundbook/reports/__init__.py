"""Reports: what is told of a task outside the record, as HTML, LaTeX, or a deposit."""
