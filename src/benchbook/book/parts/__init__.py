"""What pages are put together from: the book's own nodes, tables, figures with their buttons and files, typography."""
