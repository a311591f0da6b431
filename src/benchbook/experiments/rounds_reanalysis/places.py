"""Where the chapter's numbers are shown, and which tables of data/notes/raw they come from."""

from benchbook.experiments.r8g_reports import CPU, REPORTS, TPS

READS, COURSE, PROCESSORS = "fig-rounds-raw-reads", "fig-rounds-raw-course", "fig-rounds-raw-processors"
TABLES = {READS: (REPORTS,), COURSE: (REPORTS, TPS), PROCESSORS: (REPORTS, TPS, CPU)}
"""Tables behind each figure; their hash names the data that it shows."""
