"""A run in, what a chapter says of it out: numbers with their intervals, checks, and the verdicts on claims."""
