"""What the notes' own logs and second runs of their benchmarks show: counted by hand, and before any measurement."""

import pandas as pd
import pytest

from benchbook import notes
from benchbook.chapters import cache_sizing, label_order, networked_keys, shared_buffers, switched_settings
from benchbook.claims import load_claims
from benchbook.claims.evidence import by_report
from benchbook.measuring.badger import notes as badger_notes
from benchbook.measuring.badger import reports
from benchbook.model import Evidence, Outcome
from benchbook.notes import other_runs

LOGS = cache_sizing.REPORTS | label_order.REPORTS
RUNS = networked_keys.REPORTS


@pytest.mark.parametrize(
    ("claim", "value", "outcome"),
    [
        ("B003", 799_549 / 2_059_761, Outcome.REPRODUCED), ("B004", 925_581 / 1_260_212, Outcome.REPRODUCED),
        ("B018", 50_156_264_915_243 / 925_581, Outcome.REPRODUCED), ("B008", 1.8756, Outcome.CONTRADICTED),
        ("B010", 1.9563, Outcome.CONTRADICTED), ("L003", 108.8 / 73.71, Outcome.REPRODUCED),
        ("L055", 99.44 / 73.71, Outcome.REPRODUCED), ("L059", 14.05 / 73.71, Outcome.REPRODUCED),
        ("L004", 9.08 / 73.71, Outcome.DIRECTION_ONLY),
    ],
)  # fmt: skip
def test_a_claim_is_judged_by_the_number_of_the_report(claim: str, value: float, outcome: Outcome) -> None:
    found = (LOGS | RUNS)[claim]()
    assert found is not None
    assert found.value == pytest.approx(value, rel=1e-4)
    verdict = by_report(load_claims()[claim], found, None, bounded=claim in RUNS)
    assert (verdict.outcome, verdict.evidence) == (outcome, Evidence.REPORT)
    if claim in LOGS:
        assert verdict.reason.endswith("(logs of 17 November 2025 in ZenTenApp/orly-relay at 038d195).")


def test_the_names_of_bursts_stand_in_the_order_of_their_runs() -> None:
    found = reports.bursts("mean_ms")
    assert [label for _, label in found.index] == ["next-orly-badger", "next-orly-dgraph", badger_notes.FAST]
    assert found.to_numpy().tolist() == [[7.197024, 9.406859], [3.805495, 9.266976], [3.589724, 2.925486]]


def test_the_first_minute_and_the_end_are_two_lines_of_each_log() -> None:
    early, each = reports.ratio("hit", "asked")
    assert early == pytest.approx(0.388, abs=0.001)
    assert each == pytest.approx([0.435, 0.359, 0.407, 0.335], abs=0.001), "by the names of the files"
    late, each = reports.ratio("hit", "asked", last=True)
    assert late > min(each) > 0.98


def test_the_cache_of_the_logs_was_not_of_64_mb() -> None:
    assert [round(each) for each in reports.held_mb()] == [998, 1020]


def test_the_devices_served_next_to_nothing_in_the_runs_with_a_small_and_with_a_large_pool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saved, held = (shared_buffers.REPORTS[claim]() for claim in ("C080", "C045"))
    assert saved is not None
    assert held is not None
    assert "served 2 reads in 1,448,959 transactions" in saved.text
    assert saved.value is None
    assert held.value == pytest.approx(2 / 1_890_951)
    monkeypatch.setattr(other_runs, "_served", lambda run: (10_000, 1_000_000, "(somewhere)"))
    assert other_runs.nothing_to_save() is None, "reads that are there can become fewer"


def test_the_background_writer_wrote_nothing_in_scenario_b(monkeypatch: pytest.MonkeyPatch) -> None:
    found = switched_settings.REPORTS["C054"]()
    assert found is not None
    assert found.value is None
    assert "60 s and 1,890,951 transactions" in found.text
    assert found.text.endswith("(report 075211, ecraftagency/postgres_10k_tps_olap at 70334ce).")
    written: pd.DataFrame = notes.table("raw/c8gb_reports").assign(buffers_clean=1)
    monkeypatch.setattr(notes, "table", lambda name: written)
    assert other_runs.writer_idle() is None, "a report in which it wrote decides nothing"
