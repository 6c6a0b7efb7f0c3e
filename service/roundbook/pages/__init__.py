"""Web pages: an organiser's desk, readable without JavaScript, with charts drawn on the server."""
