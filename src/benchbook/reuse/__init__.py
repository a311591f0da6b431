"""What others do with stored runs beside reading the book: export them, compare them, put them together."""
