"""The disk of a server or of a probe fills up in the middle of a run: one message with its mend, nothing left."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import parts_at_work as parts
import pytest

pytestmark = pytest.mark.faults

PROBE = parts.PROBE | {"rounds": 2, "turn_ms": 1_000, "discard_ms": 100}


@pytest.fixture
def disk(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A scratch disk of its own that can be made as small as what is on it."""
    with parts.small_disk(parts.scratch() / "disk", "size=6g,mode=755") as folder:
        monkeypatch.setenv("BENCHBOOK_SCRATCH", str(folder))
        yield folder


@pytest.mark.parametrize(
    ("experiment", "given", "name", "argument"),
    [
        pytest.param("noise_floor", parts.PGBENCH, "pgbench", "--time", id="server"),
        pytest.param("read_path", PROBE, "kv", "", id="probe", marks=pytest.mark.long),
    ],
)
def test_a_disk_that_fills_up_is_said_with_its_mend(
    disk: Path,
    started: list[subprocess.Popen[str]],
    tmp_path: Path,
    experiment: str,
    given: dict[str, object],
    name: str,
    argument: str,
) -> None:
    if name == "kv":
        parts.need_kv()
    started.append(owner := parts.start(tmp_path, experiment, given))
    parts.one(owner, lambda: parts.at_it(owner.pid, name, argument))
    if name == "kv":  # so that there is something for which there is no room
        assert parts.eventually(lambda: shutil.disk_usage(disk).used > 1 << 20 or owner.poll() is not None)
    assert parts.eventually(lambda: shrunk(disk)), "it grows meanwhile, so that it may take several attempts"
    _, told = owner.communicate(timeout=parts.PATIENCE_S)
    assert owner.returncode == 3, told
    error, mend = parts.complaint(told)
    assert "\n" not in error
    assert "full" in error or "No space left" in error, error
    assert mend.startswith("fix: free disk space")
    assert parts.eventually(parts.nothing_left), list(disk.iterdir())


def shrunk(disk: Path) -> bool:
    size = shutil.disk_usage(disk).used + (1 << 20)
    return subprocess.run(["mount", "-o", f"remount,size={size}", disk], capture_output=True).returncode == 0
