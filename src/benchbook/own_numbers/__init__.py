"""Numbers that others measured with other tools: read from their files, judged by the book's rule, and diagnosed."""
