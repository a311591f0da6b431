"""How the chapter calls a run."""

from __future__ import annotations

from benchbook.experiments.r8g_reports import Report

NAMELESS = "not in the note"
SHORT = {"Warming (ended at 9.4K)": "warming, to 9.4K", "Reset by CHECKPOINT": "reset"}
"""Names of the note that are too long for a figure."""


def called(report: Report) -> str:
    """Clock and name, such as "11:24 round 2"."""
    name = SHORT.get(report.name, report.name or NAMELESS)
    return f"{report.clock[:5]} {name[:1].lower()}{name[1:]}"
