"""What chapters of one family measure with; each imports what it needs from the module that has it."""
