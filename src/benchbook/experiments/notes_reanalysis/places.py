"""Where the chapter's numbers are shown, and which tables of data/notes they come from."""

TIMELINES, VALIDATION, ARITHMETIC, SPEEDUP, SINGLE_RUN = (
    "fig-notes-timelines",
    "fig-notes-validation",
    "fig-notes-arithmetic",
    "fig-notes-speedup",
    "fig-notes-single-run",
)
TABLES = {
    TIMELINES: ("c8gb_runs", "c8gb_timeline", "r8g_runs", "r8g_timeline"),
    VALIDATION: ("r8g_runs", "r8g_validation", "readings"),
    ARITHMETIC: (
        "badger_configs", "badger_memory_budget", "badger_metrics", "c8gb_hardware", "c8gb_runs", "c8gb_volumes",
        "lakebase_constants", "omendb_breakdown", "omendb_latency", "omendb_speedup", "omendb_statements",
        "r8g_config", "r8g_runs", "r8g_statements", "readings",
    ),
    SPEEDUP: ("omendb_speedup", "omendb_statements", "readings"),
    SINGLE_RUN: ("c8gb_changes", "r8g_changes", "omendb_latency"),
}  # fmt: skip
"""Tables behind each figure; their hash names the data that it shows."""
