"""The figures of chapters: estimates with intervals from a description, and what is drawn by hand."""
