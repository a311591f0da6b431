"""Where the chapter's numbers are shown, and which tables of data/notes/raw they come from."""

TIMELINES, DEVICES, POOL, GAIN = (
    "fig-cliff-raw-timelines",
    "fig-cliff-raw-devices",
    "fig-cliff-raw-pool",
    "fig-cliff-raw-gain",
)
REPORTS, TPS, DIRTY, WAITS, DEVICE = (
    f"raw/c8gb_{name}" for name in ("reports", "tps", "dirty", "waits", "devices")
)  # fmt: skip
TABLES = {
    TIMELINES: (REPORTS, TPS, DIRTY, WAITS, DEVICE),
    DEVICES: (REPORTS, DEVICE),
    POOL: (REPORTS,),
    GAIN: (REPORTS, TPS),
}
"""Tables behind each figure; their hash names the data that it shows."""
