"""The Python door: `roundbook.open` returns a `Book`, whose answers are frames, words and charts."""
