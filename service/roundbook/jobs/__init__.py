"""Long studies as jobs: a queue in the database, and the worker that takes them."""
