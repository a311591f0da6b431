"""What the book's own machinery costs, measured beside named peers; one record of all parts comes out."""
