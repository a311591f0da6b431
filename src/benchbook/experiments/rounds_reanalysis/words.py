"""How the chapter calls a run."""

from __future__ import annotations

from benchbook.experiments.r8g_reports import Report

NAMELESS = "not in the note"
SHORT = {"": "unmentioned", "Warming (ended at 9.4K)": "rising to 9.4K", "Reset by CHECKPOINT": "reset"}
"""For figures, where the note's name is too long."""


def called(report: Report) -> str:
    """Clock and name, such as "11:24 round 2"."""
    name = SHORT.get(report.name, report.name)
    return f"{report.clock[:5]} {name[:1].lower()}{name[1:]}"
