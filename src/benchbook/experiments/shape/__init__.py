"""What every chapter has: its manifest, a summary of a run, answers to claims, a lesson, regular figures, sentences."""
