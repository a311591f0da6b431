"""pgbench's files become arrays, every field in order of completion; a failed trial's record is words, or the end."""

from pathlib import Path

import numpy as np
import psycopg
import pytest

from benchbook.engines.pgbench import Progress, Workload, failure
from benchbook.engines.pgbench.log import read_log
from benchbook.engines.pgbench.transactions import from_log, from_progress, read_report, reported_s
from benchbook.engines.postgres import Binaries, Cluster
from benchbook.errors import BenchbookError, MachineError

SECOND = 1_000_000
START = 1_700_000_000
NO_PROGRESS = Progress(np.zeros(0), np.zeros(0), np.zeros(0))


def written(folder: Path, *threads: str) -> list[Path]:
    paths = []
    for number, text in enumerate(threads):
        paths.append(folder / ("log.77" if number == 0 else f"log.77.{number}"))
        paths[-1].write_text(text)
    return paths


def line(end_us: int, time: int | str, *, client: int = 0) -> str:
    seconds, rest = divmod(START * SECOND + end_us, SECOND)
    return f"{client} 1 {time} 0 {seconds} {rest}\n"


def test_the_transactions_of_all_threads_come_in_order_of_completion_and_failed_ones_have_no_latency(
    tmp_path: Path,
) -> None:
    threads = (line(30, 5) + line(40, "failed") + line(1_000_010, 7), line(20, 9, client=1) + line(50, "deadlock"), "")
    log = read_log(written(tmp_path, *threads))
    assert (log.end_us - START * SECOND).tolist() == [20, 30, 40, 50, 1_000_010]
    assert log.latency_us.tolist() == [9, 5, 0, 0, 7]
    assert log.client.tolist() == [1, 0, 0, 0, 0]
    assert log.completed.tolist() == [True, True, False, False, True]


@pytest.mark.parametrize("damaged", ["0 1 5 0 17000\n", "0 1 five 0 1700000000 12\n", "0 1 5 0 1700000000 12 13\n"])
def test_a_damaged_line_is_refused_with_the_files_name(tmp_path: Path, damaged: str) -> None:
    with pytest.raises(BenchbookError, match=r"log\.77"):
        read_log(written(tmp_path, line(10, 5) + damaged))


def test_a_million_transactions_are_read_whole(tmp_path: Path) -> None:
    count = 1_000_000
    ends = np.arange(count) * 50
    latencies = np.random.default_rng(3).integers(100, 9_999, count)
    rows = zip(latencies.tolist(), (START + ends // SECOND).tolist(), (ends % SECOND).tolist(), strict=True)
    text = "".join(f"3 17 {latency} 0 {second} {rest}\n" for latency, second, rest in rows)
    log = read_log(written(tmp_path, text))
    assert np.array_equal(log.latency_us, latencies)
    assert np.array_equal(log.end_us - START * SECOND, ends)


def cut(tmp_path: Path, text: str, *, alarm_s: float = 100, **settings: object) -> object:
    log = read_log(written(tmp_path, text))
    return from_log(Workload(**settings), log, NO_PROGRESS, 0, int((START + alarm_s) * SECOND))  # type: ignore[arg-type]


def test_the_window_begins_after_the_warm_up_and_lasts_whole_seconds(tmp_path: Path) -> None:
    # the first transaction begins at 100 us: the window of 2 s is [1 000 100, 3 000 100)
    ends = [200, 900_000, 1_000_099, 1_000_100, 1_500_000, 2_000_100, 3_000_099, 3_000_100]
    found = cut(
        tmp_path, "".join(line(end, 100) for end in ends) + line(2_000_000, "failed"), duration_s=2, warm_up_s=1
    )
    assert found.end_s.tolist() == pytest.approx([0, 0.4999, 1.0, 1.999999])
    assert found.latency_ns.tolist() == [100_000] * 4
    assert found.latency_ns.dtype == np.int64
    assert found.run_tps_per_s.tolist() == [3, 2, 2]
    assert found.tps == 2
    assert found.first_tps == 5 / 2, "those that ended before 2 000 100 us"
    assert (found.dropped_s, found.duration_s, found.failed) == (1, 2, 1)


def test_a_window_that_a_late_first_transaction_cut_short_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match=r"0\.5 s too late"):
        cut(tmp_path, line(500_100, 100), alarm_s=1, duration_s=1)


def test_a_log_or_a_window_without_a_transaction_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match="no transaction"):
        read_log(written(tmp_path, "", ""))
    with pytest.raises(BenchbookError, match="in the 2 measured seconds"):
        cut(tmp_path, line(100, 50), duration_s=2, warm_up_s=1)
    with pytest.raises(BenchbookError, match="no transaction was completed"):
        cut(tmp_path, line(100, "failed"), duration_s=2)


REPORT = """pgbench (18.6)
progress: 1.0 s, 100.0 tps, lat 8.100 ms stddev 2.300, 0 failed
progress: 3.0 s, 50.0 tps, lat 20.000 ms stddev 2.300, 0 failed, lag 0.100 ms, 3 skipped
progress: 4.0 s, 0.0 tps, lat -nan ms stddev -nan, 0 failed
progress: 5.0 s, 200.0 tps, lat 5.000 ms stddev 2.300
"""
PROCESSED = "number of transactions actually processed: 400\ntps = 80.1\n"


def test_the_reports_per_second_are_weighted_by_what_they_span() -> None:
    progress, processed = read_report(PROCESSED, REPORT)
    assert processed == 400
    assert progress.elapsed_s.tolist() == [1, 3, 4, 5]
    assert progress.tps.tolist() == [100, 50, 0, 200]
    assert np.isnan(progress.mean_ns[2])
    assert progress.mean_ns[1] == 20e6
    assert progress.mean_tps(0, 5) == pytest.approx(400 / 5)
    assert progress.mean_tps(1, 4) == pytest.approx(100 / 3)
    found = from_progress(Workload(duration_s=4, warm_up_s=1, log=False), progress, processed)
    assert found.tps == pytest.approx(300 / 4)
    assert found.first_tps == pytest.approx(200 / 4)
    assert (found.failed, found.latency_ns.size) == (None, 0)
    with pytest.raises(BenchbookError, match="no second between 8 and 9"):
        progress.mean_tps(8, 9)
    with pytest.raises(BenchbookError, match="how many"):
        read_report("tps = 80.1\n", REPORT)
    assert [reported_s(line) for line in REPORT.splitlines()] == [None, 1.0, 3.0, 4.0, 5.0]


@pytest.fixture
def stopped(tmp_path: Path) -> Cluster:
    """A cluster without a server."""
    folder = tmp_path / "benchbook-pg-x"
    folder.mkdir()
    return Cluster(Binaries(tmp_path, "18.6", embedded=False), folder)


def test_the_record_of_a_failure_names_no_folder_of_the_machine_and_of_a_clients_words_the_first_line(
    stopped: Cluster,
) -> None:
    lost = MachineError(f"no server on socket {stopped.folder}/.s.PGSQL.5432", "see the message")
    closed = psycopg.OperationalError("server closed the connection\n\tbefore it answered")
    told = [failure.recorded(stopped, error, keep_going=True) for error in (lost, closed)]
    assert told[0] == "no server on socket the cluster's folder/.s.PGSQL.5432"
    assert told[1] == "PostgreSQL failed: server closed the connection"


def test_without_keep_going_a_failure_ends_the_run_and_a_full_disk_does_in_any_case(stopped: Cluster) -> None:
    with pytest.raises(MachineError, match="a trial failed: it died"):
        failure.recorded(stopped, MachineError("it died", "see"), keep_going=False)
    error = psycopg.OperationalError("could not extend file: No space left on device")
    with pytest.raises(MachineError, match=r"is full.*; .*BENCHBOOK_SCRATCH"):
        failure.recorded(stopped, error, keep_going=True)
