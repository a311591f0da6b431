"""One module per experiment; each is found by its name, there is no list."""
