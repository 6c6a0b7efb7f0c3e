"""Score matrices: logging, correcting, listing, showing and exporting them."""
