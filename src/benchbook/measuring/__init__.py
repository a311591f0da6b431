"""What chapters of one family measure with; each imports from the module that has what it needs."""
