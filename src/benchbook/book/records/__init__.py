"""What pages are written from, as plain records: runs, figures, verdicts, comparisons, editions and citations."""
