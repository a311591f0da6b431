"""A chapter's page: its text read, its sentences filled with the numbers of a run."""
