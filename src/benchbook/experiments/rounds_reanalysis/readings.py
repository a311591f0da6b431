"""What the raw reports say about the claims of note 003 that rest on these runs, claim by claim."""

from __future__ import annotations

import pandas as pd

from benchbook.claims import load_claims
from benchbook.experiments.r8g_reported import REPORTED
from benchbook.experiments.rounds_reanalysis.summary import Summary


def readings(summary: Summary) -> pd.DataFrame:
    """One row per claim: the note's words, whether its own reports speak against them, and what they show."""
    quotes, rows = load_claims(), []
    for claim, show in REPORTED.items():
        shown = show(summary.runs)
        rows.append(
            {
                "claim": claim,
                "the note": f"“{quotes[claim].quote}”",
                "its own reports": "speak against it" if shown.contradicts else "leave it open",
                "what they show": shown.text,
            }
        )
    return pd.DataFrame(rows).set_index("claim")
