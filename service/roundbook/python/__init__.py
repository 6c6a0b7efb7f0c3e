"""The Python interface: `roundbook.open` returns a `Book`; answers give frames, text and charts."""
