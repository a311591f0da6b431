"""What is drawn, the intervals and verdicts that are tried on it, and how often each of them is right."""
