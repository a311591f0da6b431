"""What must hold for a trial of the probe to count: every answer that was asked for was compared."""

from __future__ import annotations

import pandas as pd

from benchbook.statistics import Gate


def compared(trials: pd.DataFrame, right: str = "checked_reads", asked: str = "lookups") -> list[Gate]:
    """Every look-up of these trials was compared with what had been written. right, asked: their columns."""
    if right not in trials or asked not in trials:
        return []
    told = trials[trials[asked].notna()]
    differ = int((told[right] != told[asked]).sum())
    reason = f"look-ups and compared values differ in {differ} trials"
    return [Gate("every value compared", differ == 0, float(differ), reason)]
