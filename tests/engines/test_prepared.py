"""A prepared probe: it waits without a processor, measures when it is told to, and leaves nothing behind."""

import os
import signal
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psutil
import pytest
from scripts import program

from benchbook import files
from benchbook.engines import kv
from benchbook.engines.prepared import Prepared, Turn, prepared
from benchbook.errors import BenchbookError, MachineError

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("kv_built")]

MS = 1_000_000


def request(**run: Any) -> dict[str, Any]:
    return {
        "seed": 5,
        "workload": "gets",
        "options": {"engine": "value_file", "value_index": "alex"},
        "load": {"rows": 3_000, "keys": "sequential", "value_bytes": 0, "batch_rows": 1000},
        "run": {"law": "uniform", "operations": 1024, "warm_operations": 100, "batch_operations": 64} | run,
    }


def probing(folder: Path, options: dict[str, Any] | None = None, **run: Any) -> AbstractContextManager[Prepared]:
    asked = request(**run) | ({"options": options} if options else {})
    return prepared(kv.find(), asked, timeout_s=60, folder=folder)


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_turns_add_up_to_the_answer(tmp_path: Path) -> None:
    with probing(tmp_path) as waiting:
        turns = [waiting.turn(Turn(2 * MS, MS // 2)) for _ in range(3)]
        turns.append(waiting.turn(Turn(2 * MS)))
        answer = waiting.end()
    assert turns[-1]["operations"] == turns[-1]["all_operations"] > 0
    assert all(each["operations"] < each["all_operations"] for each in turns[:3]), "the first part does not count"
    run = answer.record["counters"]["run"]
    assert run["operations"] == sum(each["operations"] for each in turns)
    assert run["asked"] == run["checked_reads"] == sum(each["all_operations"] for each in turns)
    assert run["measured_ns"] == sum(each["measured_ns"] for each in turns) == answer.series["batch.service"].sum()
    assert answer.record["turns"] == turns
    assert left_in(tmp_path) == []


def test_a_waiting_probe_uses_no_processor(tmp_path: Path) -> None:
    with probing(tmp_path) as waiting:
        process = psutil.Process(waiting.process.pid)
        before = process.cpu_times()
        time.sleep(0.5)
        after = process.cpu_times()
        assert sum(after[:2]) - sum(before[:2]) <= 0.02, "two ticks of the kernel's clock at most"


def test_a_stride_that_has_passed_the_last_row_asks_for_other_rows(tmp_path: Path) -> None:
    options = {"engine": "none", "index": "alex", "row_cache_entries": 0}
    with probing(tmp_path, options, law="stride", stride=3) as waiting:
        asked = 0
        while asked < 3_000:
            asked += waiting.turn(Turn(MS))["all_operations"]
        assert waiting.end().record["checked_reads"] == asked + 100, "those that warmed it too"


def test_a_probe_that_is_killed_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    with probing(tmp_path) as waiting:
        os.kill(waiting.process.pid, signal.SIGKILL)
        with pytest.raises(MachineError, match="killed by signal 9"):
            waiting.turn(Turn(MS))
    assert left_in(tmp_path) == []


def test_a_refused_turn_and_a_refused_request_say_why(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match=r"refused.*for_ns"), probing(tmp_path) as waiting:
        waiting.turn(Turn(0))
    with pytest.raises(BenchbookError, match=r"refused.*law"), probing(tmp_path, law="unheard of"):
        pass
    assert left_in(tmp_path) == []


def test_a_program_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    silent = program(tmp_path / "silent", "exec sleep 60")
    folder = tmp_path / "stores"
    folder.mkdir()
    begun = time.monotonic()
    with (
        pytest.raises(MachineError, match="silent did not answer within"),
        prepared(silent, request(), timeout_s=0.2, folder=folder),
    ):
        pass
    assert time.monotonic() - begun < 30
    assert left_in(folder) == []


def test_a_program_that_talks_nonsense_is_refused(tmp_path: Path) -> None:
    for said, words in (("{}", "does not say that it is ready"), ("hello", "is not JSON")):
        odd = program(tmp_path / "odd", f"read line; echo '{said}'; sleep 60")
        with pytest.raises(BenchbookError, match=words), prepared(odd, request(), timeout_s=30):
            pass


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="does not start"), prepared(tmp_path / "none", request(), timeout_s=30):
        pass


def test_a_store_that_waited_is_read_again_but_for_its_log(tmp_path: Path) -> None:
    with probing(tmp_path, {"engine": "rocksdb"}) as waiting:
        [made] = tmp_path.iterdir()
        store = made / "store"
        (store / "table.sst").write_bytes(bytes(1 << 20))
        logs = list(store.rglob("*.log"))
        assert logs
        files.evict(store)
        waiting.recall()
        assert files.cached_pages(store / "table.sst").all()
        if files.direct_reads(tmp_path):
            assert not any(files.cached_pages(log).all() for log in logs if log.stat().st_size)
