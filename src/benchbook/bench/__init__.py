"""Measure the book's own tools beside named peers, in one record of all parts."""
