"""What note 002's own raw reports show about its claims, read anew from the table."""

from __future__ import annotations

import pandas as pd
import pytest

from benchbook import notes
from benchbook.chapters.switched_settings import REPORTS
from benchbook.notes import other_runs


def test_the_background_writer_wrote_nothing_in_scenario_b() -> None:
    found = REPORTS["C054"]()
    assert found is not None
    assert found.value is None
    assert "60 s and 1,890,951 transactions" in found.text
    assert found.text.endswith("(report 075211, ecraftagency/postgres_10k_tps_olap at 70334ce).")


def test_a_report_in_which_it_wrote_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    written: pd.DataFrame = notes.table("raw/c8gb_reports").assign(buffers_clean=1)
    monkeypatch.setattr(notes, "table", lambda name: written)
    assert other_runs.writer_idle() is None
