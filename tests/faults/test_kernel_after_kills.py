"""Ten kills at random moments in each chapter that changes kernel settings: the next command leaves all as before.

A third of the kills is of the command alone, a third of its guardians too, a third of everything that it started.
"""

import random
import shutil
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import parts_at_work as parts
import psutil
import pytest
from block_devices import ODD_KIB, lines, odd_read_aheads

from benchbook import lab, project
from benchbook.engines import kernel_note, kernel_places, kernel_settings
from benchbook.engines.storage import devices, refusals
from benchbook.errors import MachineError
from benchbook.parameters.profiles import QUICK, profile

pytestmark = [pytest.mark.faults, pytest.mark.engine, pytest.mark.machine, pytest.mark.alone, pytest.mark.long]

KILLS = 10
MOST_S = 6.0
"""Up to so long after the first change the kill comes: loading, capping and several trials lie in it."""
ALLOWED = "allow_"
"""How the parameters begin that permit a change of the machine."""


def changing() -> list[str]:
    """The chapters that have such a parameter."""
    every = (name for name in lab.names() if name not in lab.analyses())
    return [name for name in every if any(map(allows, lab.experiment(name).Parameters.model_fields))]


def allows(parameter: str) -> bool:
    return parameter.startswith(ALLOWED)


def machine() -> dict[str, Any]:
    """Everything of the kernel that a chapter may change; of devices those with a file on the test's scratch disk."""
    files = {device.path.name: str(file) for device, file in devices.attached() if own(file)}
    mounts = sorted(line for line in lines(devices.MOUNTS) if str(parts.scratch()) in line)
    return {name: kernel_settings.read(name) for name in kernel_places.known()} | {"files": files, "mounts": mounts}


def own(file: Path) -> bool:
    return file.is_relative_to(parts.scratch().resolve())


def read_aheads(names: Collection[str]) -> dict[str, int | None]:
    return {name: kernel_settings.read(f"block/{name}/{kernel_places.AHEAD}") for name in names}


def groups(owner: int) -> list[Path]:
    """Control groups of a command."""
    return [*Path("/sys/fs/cgroup").glob(f"**/benchbook-{owner}-*")]


def parameters(name: str) -> dict[str, Any]:
    """The quick profile's, with leave to change everything."""
    given = lab.experiment(name).Parameters.given(profile(name, QUICK)).model_dump(mode="json")
    return given | {each: True for each in given if allows(each)}


def changed_or_ended(owner: subprocess.Popen[str], before: dict[str, Any]) -> bool:
    return parts.eventually(lambda: owner.poll() is not None or machine() != before)


def as_before(before: dict[str, Any], used: Collection[str]) -> bool:
    """used: names of the devices that the command had when it was killed."""
    odd = dict.fromkeys(used, ODD_KIB)
    return parts.eventually(lambda: machine() == before and read_aheads(used) == odd)


def none_left(owner: int) -> bool:
    return parts.eventually(lambda: not groups(owner))


def kill(owner: subprocess.Popen[str], kind: int) -> None:
    """kind: 0 the command alone, 1 its guardians before, 2 everything that it started before."""
    with suppress(psutil.NoSuchProcess):
        every = psutil.Process(owner.pid).children(recursive=True)
        for each in every:
            if kind == 2 or (kind == 1 and "benchbook.engines" in " ".join(parts.line(each))):
                with suppress(psutil.NoSuchProcess):
                    each.kill()
    owner.kill()
    owner.communicate()


@pytest.fixture
def before(home: Path) -> Iterator[dict[str, Any]]:
    why = kernel_settings.refusal() or refusals.refusal(allowed=True)
    if why is not None:
        pytest.skip(str(why))
    assert parts.eventually(lambda: not kernel_settings.NOTE.exists()), "another command has changed them"
    with odd_read_aheads():
        found = machine()
        yield found
        parts.any_command()
        assert parts.eventually(lambda: machine() == found)


@pytest.mark.parametrize("name", changing())
def test_after_ten_kills_the_kernel_is_as_before(name: str, home: Path, before: dict[str, Any]) -> None:
    chooses, given = random.Random(name), parameters(name)
    try:
        module = lab.experiment(name)
        module.needs(module.Parameters.given(given)).check()
    except MachineError as missing:
        pytest.skip(f"{missing.problem}; {missing.mend}")
    changes = 0
    for number in range(KILLS):
        shutil.rmtree(project.runs(), ignore_errors=True)  # so that none goes on with what is nearly done
        owner = parts.start(home, name, given)
        assert changed_or_ended(owner, before)
        assert owner.poll() is None, owner.communicate()
        time.sleep(chooses.uniform(0, MOST_S))
        met = machine()
        changes += met != before
        kill(owner, number % 3)
        done = subprocess.run([*parts.COMMAND, "clean"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert as_before(before, met["files"]), (machine(), before, read_aheads(met["files"]))
        assert none_left(owner.pid)
        assert parts.eventually(lambda: not any(map(kernel_note.is_abandoned, kernel_settings.notes())))
        assert parts.nothing_left() or parts.eventually(parts.nothing_left)
    assert changes > KILLS // 2, "most kills met a machine that was changed"
