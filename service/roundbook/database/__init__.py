"""PostgreSQL: the tables, the connection, dumps of a record, the codecs of scores and of lists."""
