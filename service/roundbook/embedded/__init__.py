"""The embedded PostgreSQL server: started, kept up, stopped, brought to a later version."""
