"""Score matrices: logged, corrected, listed, shown and taken out."""
