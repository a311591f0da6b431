"""The rendered book as one file: an HTML archive, and a PDF printed from it."""
