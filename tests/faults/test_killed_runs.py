"""A run that is killed, interrupted or out of disk is completed by the same command, each trial once, nothing left."""

import logging
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from eventually import eventually
from parts_at_work import FEATURES, at_work, scratch, stored
from parts_at_work import small_disk as mounted

from benchbook import lab, project, store
from benchbook.chapters.hot_cold_keys import Parameters
from benchbook.engines.postgres import leftovers

pytestmark = pytest.mark.faults

TRIALS = 24
MEASURE = f"""
import sys
from benchbook import lab
from benchbook.errors import BenchbookError
module = lab.experiment("hot_cold_keys")
try:
    print(lab.obtain(module, module.Parameters.given({FEATURES!r})).id)
except BenchbookError as error:
    sys.exit(f"{{type(error).__name__}}: {{error}}")
"""


def start() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", MEASURE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process: subprocess.Popen[str], condition: Callable[[], bool]) -> None:
    assert eventually(lambda: condition() or process.poll() is not None)
    assert process.poll() is None, f"it ended by itself: {process.stderr.read() if process.stderr else ''}"


def check_complete() -> None:
    [entry] = store.catalogue()
    run = store.read_run(entry.folder, published=False)
    planned = lab.experiment("hot_cold_keys").plan(Parameters.given(FEATURES)).trials
    assert len(planned) == TRIALS
    found = run.trials[["trial", "configuration", "seed"]].itertuples(index=False, name=None)
    assert [*found] == [(trial.index, trial.configuration.name, trial.seed) for trial in planned]
    requests = run.samples[run.samples["series"] == "request"]
    assert requests.groupby("trial").size().tolist() == [FEATURES["measured_requests"]] * TRIALS
    assert run.trials["session"].is_monotonic_increasing
    left = {path.name for path in entry.folder.iterdir() if not path.name.startswith(".")}
    assert left == {"run.json", "trials.parquet", "samples.parquet"}


def completed(started: list[subprocess.Popen[str]]) -> tuple[str, str]:
    """What the same command prints and tells that ends the run."""
    started.append(owner := start())
    out, err = owner.communicate(timeout=120)
    assert owner.returncode == 0, err
    check_complete()
    return out, err


def check_nothing_left() -> None:
    assert eventually(lambda: not at_work() and not list(scratch().iterdir())), (at_work(), list(scratch().iterdir()))


def end_at(process: subprocess.Popen[str], moment: float, how: signal.Signals) -> None:
    """Send a signal somewhere in the run: moment is a number of trials, and a part of a tenth of a second."""
    wait_for(process, lambda: len(stored()) >= int(moment))
    time.sleep((moment % 1) / 10)
    process.send_signal(how)
    process.wait(timeout=60)


@pytest.mark.parametrize(
    ("how", "times"),
    [
        pytest.param(signal.SIGKILL, 1, id="SIGKILL"),
        pytest.param(signal.SIGKILL, 3, id="SIGKILL three times", marks=pytest.mark.long),
        pytest.param(signal.SIGINT, 3, id="SIGINT three times", marks=pytest.mark.long),
    ],
)
def test_a_run_ended_at_random_moments_is_completed_with_each_trial_once(
    started: list[subprocess.Popen[str]], how: signal.Signals, times: int
) -> None:
    generator = random.Random(20260117 + how)
    part = (TRIALS - 3) / times
    moments = [1 + generator.uniform(place * part, (place + 1) * part) for place in range(times)]
    logging.getLogger(__name__).warning("%s after %s trials", how.name, ", ".join(f"{at:.2f}" for at in moments))
    durable: set[str] = set()
    for moment in moments:
        started.append(owner := start())
        end_at(owner, moment, how)
        assert owner.returncode != 0
        assert durable <= stored(), "what was stored stays stored"
        durable = stored()
        check_nothing_left()
    out, err = completed(started)
    assert "resuming run" in err
    assert store.catalogue()[0].id == out.strip()
    check_nothing_left()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=lambda how: how.name)
def test_a_run_ended_before_its_first_trial_leaves_nothing(
    started: list[subprocess.Popen[str]], how: signal.Signals
) -> None:
    started.append(owner := start())
    wait_for(owner, lambda: bool(list(scratch().glob(f"{leftovers.PREFIX}*/data/base"))))
    owner.send_signal(how)
    owner.wait(timeout=60)
    assert stored() == set()
    check_nothing_left()
    assert store.catalogue() == []


@pytest.fixture
def small_disk(home: Path) -> Iterator[Path]:
    """The folder of the runs on a file system of its own that is nearly full."""
    with mounted(project.runs(), "size=1m") as folder:
        yield folder


@pytest.mark.long  # that it is said: test_full_disks; that a run goes on: above
def test_a_disk_that_fills_up_is_said_and_the_run_goes_on_when_there_is_room(
    small_disk: Path, started: list[subprocess.Popen[str]]
) -> None:
    ballast = small_disk / "ballast"
    free = shutil.disk_usage(small_disk).free
    ballast.write_bytes(bytes(free - 96 * 1024))
    started.append(owner := start())
    _, err = owner.communicate(timeout=120)
    assert owner.returncode == 1
    assert "MachineError" in err
    assert "No space left on device" in err
    assert "free disk space" in err
    assert "Traceback" not in err
    check_nothing_left()
    durable = stored()
    assert 0 < len(durable) < TRIALS
    [entry] = store.catalogue()
    assert entry.record is not None, "the record is whole"
    with store.RunWriter.resume(entry.folder) as writer:
        assert writer.done == {int(name[:5]) for name in durable}, "and so are the trials"
    ballast.unlink()
    completed(started)


@pytest.mark.long
def test_two_runs_at_once_take_turns(started: list[subprocess.Popen[str]]) -> None:
    started.append(start())
    wait_for(started[0], lambda: len(stored()) >= 1)
    started[0].send_signal(signal.SIGSTOP)  # so that the second starts while the first is at work
    started.append(start())
    assert "waiting for it to end" in started[1].stderr.readline()
    started[0].send_signal(signal.SIGCONT)
    ended: list[Any] = [process.communicate(timeout=180) for process in started]
    assert [process.returncode for process in started] == [0, 0], ended
    for entry in store.catalogue():
        run = store.read_run(entry.folder, published=False)
        assert run.trials["session"].unique().tolist() == [0], "neither took the other's trials"
    assert ended[0][0] == ended[1][0], "the second finds the first one's run instead of measuring again"
