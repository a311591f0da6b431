"""The raw reports of notes 002 and 003: whose they are, complete, and as the notes print."""

from collections import defaultdict

import pytest
from planting import raw_rows as rows

from benchbook import notes
from benchbook.notes import five_runs, nine_runs


def throughput(name: str, run: str) -> dict[str, dict[int, float]]:
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for row in rows(name):
        found[row[run]][int(row["t_s"])] = float(row["tps"])
    return found


@pytest.mark.parametrize(("name", "count"), [("c8gb_reports", 5), ("r8g_reports", 9), ("neighbours", 12)])
def test_every_report_has_a_repository_a_commit_and_a_file_of_its_own(name: str, count: int) -> None:
    found = rows(name)
    assert len(found) == len({row["file"] for row in found}) == count
    for row in found:
        assert len(row["commit"]) == 40
        assert set(row["commit"]) <= set("0123456789abcdef")
        assert row["repository"].count("/") == 1
        assert row["file"].endswith(f"-{row['run_id']}.md" if "run_id" in row else ".md")


@pytest.mark.parametrize(
    ("name", "run", "printed", "runs"),
    [
        ("c8gb", "run", "run", (five_runs.BASELINE, five_runs.A, five_runs.B)),
        ("r8g", "run_id", "round", (nine_runs.ROUND_1, nine_runs.ROUND_2, nine_runs.ROUND_3)),
    ],
)
def test_the_raw_throughput_is_what_the_note_prints_and_has_the_reports_average(
    name: str, run: str, printed: str, runs: tuple[str, ...]
) -> None:
    raw = throughput(f"{name}_tps", run)
    for row in notes.table(f"{name}_timeline").to_dict("records"):
        assert raw[runs[int(row[printed]) - 1]][int(row["t_s"])] == pytest.approx(row["tps"], abs=1)
    for report in rows(f"{name}_reports"):
        values, tps = raw[report[run]], float(report["tps"])
        assert sum(values.values()) / len(values) == pytest.approx(tps, rel=0.005)  # it ends late
        seconds = int(report.get("duration_s", 60))
        assert float(report["transactions"]) == pytest.approx(tps * seconds, rel=0.005)
