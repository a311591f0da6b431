"""Note 002's raw reports read again: numbers counted anew from the tables, and the simulated pool against others."""

import math
from collections import OrderedDict, defaultdict
from dataclasses import replace
from random import Random

import pandas as pd
import pytest
from planting import raw_rows

from benchbook import lab, notes
from benchbook.chapters import cliff_reanalysis
from benchbook.chapters.cliff_reanalysis import Summary
from benchbook.errors import BenchbookError
from benchbook.measuring import clock_sweep
from benchbook.measuring.clock_sweep import Load, allocated
from benchbook.notes.five_runs import BASELINE, LONG, PAGES_PER_GIB, A, B, C, tps_fall

chapter = lab.experiment("cliff_reanalysis")


@pytest.fixture(scope="module")
def summary() -> Summary:
    return chapter.summarize(chapter.Parameters())


def series(name: str, column: str) -> dict[str, dict[int, float]]:
    """A column of a raw table by run and second."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for row in raw_rows(f"c8gb_{name}"):
        found[row["run"]][int(row["t_s"])] = float(row[column])
    return found


REPORTS = {row["run"]: row for row in raw_rows("c8gb_reports")}


def test_every_series_is_of_known_runs_and_covers_them() -> None:
    lengths = {name: int(row["duration_s"]) for name, row in REPORTS.items()}
    for name in ("dirty", "waits", "devices"):
        table = notes.table(f"raw/c8gb_{name}")
        assert set(table["run"]) <= set(lengths)
        for run, part in table.groupby("run"):
            assert part["t_s"].is_monotonic_increasing
            inside = part["t_s"].between(1, lengths[str(run)])
            assert inside.sum() >= lengths[str(run)] - 4
    assert set(notes.table("raw/c8gb_devices")["run"]) == {BASELINE, A, B}


def test_processor_time_rises_in_the_second_after_the_start() -> None:
    for used in series("devices", "cpu_user_percent").values():
        assert max(used[second] for second in used if second <= 0) <= 1
        assert used[1] >= 20
        assert used[60] >= 3


def test_dirty_reaches_its_plateau_where_throughput_falls(summary: Summary) -> None:
    dirty, memory = series("dirty", "dirty_kib"), series("devices", "memory_used_mib")
    for name, second, fell in ((BASELINE, 13, 12.4), (A, 30, 28.0)):
        highest = max(value for at, value in dirty[name].items() if 0 <= at <= 60)
        first = min(at for at, value in dirty[name].items() if at >= 0 and value >= 0.98 * highest)
        found = summary.plateau(name)
        assert (found.second, first) == (second, second)
        assert found.gib == pytest.approx(highest / 2**20)
        grown = memory[name][second] - memory[name][-1]
        assert found.limit_gib == pytest.approx(0.04 * (float(REPORTS[name]["memory_available_mib"]) - grown) / 1024)
        assert found.percent_of_memory == pytest.approx(4, abs=0.1)
        assert summary.fell_s(name) == pytest.approx(fell, abs=0.1)
        assert abs(summary.falls[name].cpu_s - second) <= 1


def test_runs_whose_dirty_stays_low_do_not_fall(summary: Summary) -> None:
    for name in (B, C, LONG):
        assert summary.falls[name].plateau is None
        assert summary.falls[name].tps_s is None
        assert summary.falls[name].highest_gib < 0.01
        with pytest.raises(BenchbookError, match="does not fall"):
            summary.fell_s(name)
        with pytest.raises(BenchbookError, match="stays low"):
            summary.plateau(name)


def test_a_fall_is_placed_within_its_five_seconds(summary: Summary) -> None:
    class Made:
        throughput = pd.DataFrame({"t_s": [5, 10, 15, 20, 25], "tps": [100.0, 100.0, 80.0, 50.0, 50.0]})

    # two of the five seconds at 50 make a mean of 80
    assert tps_fall(Made()) == pytest.approx(13)
    Made.throughput = Made.throughput.assign(tps=[100.0, 100.0, 80.0, 90.0, 100.0])
    assert tps_fall(Made()) is None


def test_the_delay_of_a_is_an_empty_pool_and_a_longer_way_up(summary: Summary) -> None:
    assert summary.filled[0] == 12
    writes = series("devices", "device_writes")[A]
    assert max(writes[at] for at in range(1, 12)) < 2_000 < 20_000 < writes[12]
    dirty = series("dirty", "dirty_kib")
    assert max(dirty[A][at] for at in range(12)) < 1_000
    assert min(dirty[BASELINE][at] for at in range(60)) == dirty[BASELINE][3] > 900_000
    assert "9 s of that pass" in chapter.say(summary, "delays").text
    assert "The other 8 s" in chapter.say(summary, "delays").text


def test_b_and_a_are_equally_fast_until_a_falls(summary: Summary) -> None:
    tps = series("tps", "tps")
    before = sum(tps[B][at] for at in range(5, 30, 5)) / sum(tps[A][at] for at in range(5, 30, 5))
    after = sum(tps[B][at] for at in range(30, 65, 5)) / sum(tps[A][at] for at in range(30, 65, 5))
    found = cliff_reanalysis.gained(summary)
    assert (found["split_s"], found["before"], found["after"]) == (25, pytest.approx(before), pytest.approx(after))
    assert before == pytest.approx(0.996, abs=0.001)
    assert after > 1.6


def test_the_pool_in_force_is_about_four_gib_by_every_evidence(summary: Summary) -> None:
    for found in summary.fits.values():
        assert found.low < 4 < found.high
        assert found.gib == pytest.approx(4, abs=0.3)
        assert found.high < 6
    assert summary.filled[1] == pytest.approx(4, abs=0.4)
    assert float(REPORTS[BASELINE]["memory_shared_mib"]) / 1024 == pytest.approx(4.2)
    assert cliff_reanalysis.smaller_by(summary.reports[A], summary.reports[B]) == pytest.approx(16, abs=0.5)


@pytest.mark.parametrize(("name", "steps"), [(BASELINE, 4), (A, 3)])
def test_backend_writes_come_in_steps_of_half_a_pool(summary: Summary, name: str, steps: int) -> None:
    row, half = REPORTS[name], 4 * PAGES_PER_GIB // 2
    backend, cleaner = int(row["buffers_backend"]), int(row["buffers_clean"])
    assert backend <= steps * half <= backend + cleaner
    allowed = cliff_reanalysis.explained(summary.reports[name])
    by_hand = [
        size
        for size in range(1, 21)
        if any(backend <= k * size * 65_536 <= backend + cleaner for k in range(1, 100))
    ]  # fmt: skip
    assert allowed == by_hand
    assert 4 in allowed
    assert (16 in allowed) is (name == BASELINE)


def test_the_fit_is_where_a_line_between_two_pools_has_the_count() -> None:
    assert cliff_reanalysis.crossing([2, 4, 8], [100, 60, 20], 40) == 6
    assert cliff_reanalysis.crossing([2, 4, 8], [100, 60, 20], 80) == 3
    with pytest.raises(BenchbookError, match="lie outside 20 to 100"):
        cliff_reanalysis.crossing([2, 4, 8], [100, 60, 20], 10)


def test_a_run_that_never_wrote_has_no_second_in_which_its_pool_was_full(summary: Summary) -> None:
    with pytest.raises(BenchbookError, match="never wrote out pages"):
        summary.filled_by(summary.reports[B])


def test_a_pool_that_holds_everything_allocates_each_touched_page_once() -> None:
    load = Load(scale=64, transactions=200_000)
    table, leaves = 6_400_000 / 61, 6_400_000 / 366
    expected = sum(pages * -math.expm1(-200_000 / pages) for pages in (table, leaves))
    assert allocated(load, 200_000, warm=False, one_in=1, seed=3) == pytest.approx(expected, rel=0.01)
    assert allocated(load, 200_000, warm=True, one_in=1, seed=3) == 0


def test_a_smaller_model_of_the_same_proportions_counts_the_same() -> None:
    load = Load(scale=320, transactions=400_000)
    fine, coarse = (allocated(load, 130_000, warm=False, one_in=one_in, seed=5) for one_in in (4, 32))
    assert coarse == pytest.approx(fine, rel=0.02)


def asked(seed: int) -> list[int]:
    draw = Random(seed)
    return [draw.randrange(40) if draw.random() < 0.5 else draw.randrange(400) for _ in range(20_000)]


def test_without_usage_counts_the_sweep_evicts_the_oldest_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_sweep, "HIGHEST_COUNT", 0)
    swept, queue, misses = clock_sweep.Pool(60), OrderedDict[int, None](), 0
    for page in asked(1):
        swept.use(page, 1)
        if page not in queue:
            misses += 1
            if len(queue) == 60:
                queue.popitem(last=False)
            queue[page] = None
    assert swept.count == misses


def test_with_usage_counts_the_sweep_follows_postgresql_step_by_step() -> None:
    swept = clock_sweep.Pool(3)
    for page in (10, 11, 12):
        swept.use(page, 1)
    swept.use(10, 1)
    swept.use(13, 1)  # counts 2 1 1: the hand takes one off each, and one more off the first, and finds the second at 0
    assert set(swept.where) == {10, 12, 13}
    assert (swept.where[13], swept.hand, swept.counts) == (1, 2, [0, 1, 0])
    swept.use(14, 9)
    assert set(swept.where) == {10, 13, 14}
    assert swept.counts[swept.where[14]] == 5, "no count goes beyond five"


def test_the_readings_count_what_the_raw_tables_have(summary: Summary) -> None:
    found = chapter.table(summary, "readings")
    assert list(found.index) == ["C014", "C021", "C029", "C031", "C042", "C045", "C046", "C059"]
    reads = series("devices", "device_reads")
    said = {name: int(sum(n for at, n in reads[name].items() if at > 0)) for name in (BASELINE, A, B)}
    assert (
        f"{said[B]} reads in B, but also only {said[A]} in A and {said[BASELINE]}" in found.loc["C045", "its own data"]
    )


def test_a_changed_counter_changes_the_pool_that_is_said(summary: Summary, monkeypatch: pytest.MonkeyPatch) -> None:
    real = notes.table

    def other(name: str) -> pd.DataFrame:
        found = real(name)
        if name == "raw/c8gb_reports":
            found.loc[found["run"] == A, "buffers_alloc"] = 1_600_000
        return found

    monkeypatch.setattr(notes, "table", other)
    assert replace(summary).fits[A].gib > summary.fits[A].gib + 1
