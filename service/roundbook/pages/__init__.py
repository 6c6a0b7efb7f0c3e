"""Web pages for organisers, readable without JavaScript; charts are drawn on the server."""
