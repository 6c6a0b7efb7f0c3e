"""PostgreSQL: the tables, the connection, the embedded server, the score-vector codec."""
