"""What the Badger probe refuses, and that a store without room gives no result."""

import resource
from pathlib import Path
from typing import Any

import pytest
from tiny_runs import needing

from benchbook.engines import badger, probe
from benchbook.engines.badger import Build
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.badger import Bursts, arm, request_of

pytestmark = needing(badger.versions)


def request(**load: Any) -> dict[str, Any]:
    whole = request_of(Bursts(events=2_000, mem_table_mib=2, base_table_mib=2), arm("any", "", 64, 32), 1)
    return whole | {"load": whole["load"] | load}


def test_no_events_are_refused_by_the_probe_too(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match=r"refused: .*events"):
        probe.ask(badger.find(Build.NOTE), request(events=0), timeout_s=20, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_request_of_another_protocol_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "PROTOCOL", 1)
    with pytest.raises(BenchbookError, match="protocol 1, this probe 2"):
        probe.ask(badger.find(Build.NOTE), request(), timeout_s=20, folder=tmp_path)


@pytest.mark.parametrize("build", list(Build))
def test_a_store_that_finds_no_room_gives_no_result(
    tmp_path: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # What the limit refuses, the kernel refuses as it would on a full disk: the store's files cannot grow.
    monkeypatch.setattr(probe.subprocess, "Popen", limited(probe.subprocess.Popen, 1 << 20))
    with pytest.raises((MachineError, BenchbookError)):
        probe.ask(badger.find(build), request(), timeout_s=60, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert resource.getrlimit(resource.RLIMIT_FSIZE) == before


def limited(popen: Any, most: int) -> Any:
    def start(*arguments: Any, **options: Any) -> Any:
        return popen(*arguments, **options, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))

    return start
