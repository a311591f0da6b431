"""What is recorded of the machine: one kind of processor told from another, and an id that stays and names nobody."""

import importlib
import platform
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchbook import provenance
from benchbook.numbers import environment, host_kinds
from benchbook.provenance import identity
from benchbook.provenance.identity import machine_id

module = importlib.import_module("benchbook.provenance.host")
"""The package has a function of this name."""

CPUINFO = """processor\t: 0
cpu family\t: 6
model\t\t: 143
model name\t: Intel(R) Xeon(R) Processor
stepping\t: 8
cache size\t: 491520 KB

processor\t: 1
model\t\t: 1
"""


def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> dict[str, object]:
    path = tmp_path / "cpuinfo"
    path.write_text(text)
    real = Path

    def elsewhere(name: object) -> Path:
        return path if name == "/proc/cpuinfo" else real(str(name))

    monkeypatch.setattr(module, "Path", elsewhere)
    return module.host(tmp_path)


def test_processors_of_one_name_are_told_apart_by_model_stepping_and_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = told(tmp_path, monkeypatch, CPUINFO)
    other = told(tmp_path, monkeypatch, CPUINFO.replace("143", "207"))
    assert first["processor"] == other["processor"] == "Intel(R) Xeon(R) Processor"
    assert first["processor_model"] == "6-143-8-491520 KB"
    assert host_kinds.processor(first) != environment.processor(other), "their quiet levels are never mixed"


def test_a_system_silent_about_its_processor_still_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(tmp_path, monkeypatch, "")
    assert found["processor"]
    assert found["processor_model"] == ""


def daemon(
    admin: Path, *, state: str = "on", action: str = "pageout", age: str = "12", step_us: str = "5000000"
) -> None:
    scheme = admin / "0/contexts/0/schemes/0"
    for path, text in (
        (admin / "0/state", state),
        (admin / "0/contexts/0/monitoring_attrs/intervals/aggr_us", step_us),
        (scheme / "action", action),
        (scheme / "access_pattern/age/min", age),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    (admin / "nr_kdamonds").write_text("1\n")


def test_a_daemon_that_pages_out_what_was_idle_for_a_minute(tmp_path: Path) -> None:
    daemon(tmp_path)
    assert module.dropped_after_s(tmp_path) == 60.0


@pytest.mark.parametrize("changed", [{"state": "off"}, {"action": "stat"}, {"age": ""}, {"step_us": "?"}])
def test_one_that_is_off_does_something_else_or_says_nothing(tmp_path: Path, changed: dict[str, str]) -> None:
    daemon(tmp_path, **changed)
    assert module.dropped_after_s(tmp_path) is None


def test_a_kernel_without_one(tmp_path: Path) -> None:
    assert module.dropped_after_s(tmp_path / "nothing") is None
    assert "idle_page_cache_dropped_after_s" in module.host(tmp_path)


GIVEN = "0123456789abcdef0123456789abcdef"
Place = Callable[[str | None], Path]


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Let the system's id be this text, None for none; returns the user's folder for state."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(identity, "SYSTEM", tmp_path / "machine-id")

    def put(text: str | None) -> Path:
        identity.SYSTEM.unlink(missing_ok=True)
        if text is not None:
            identity.SYSTEM.write_text(text)
        return tmp_path / "state"

    return put


def test_it_stays_and_follows_from_the_systems_alone(system: Place) -> None:
    state = system(f"{GIVEN}\n")
    first = machine_id()
    assert re.fullmatch(r"[0-9a-f]{16}", first)
    assert machine_id() == first
    assert first == "54e5dab355175c9c", "runs of one machine stay runs of one machine"
    assert not state.exists(), "nothing is written where the system has one"
    system(GIVEN.upper())
    assert machine_id() == first
    system(GIVEN.replace("3", "4"))
    assert machine_id() != first


@pytest.mark.parametrize("text", [None, "", "\n", "uninitialized\n", "0" * 32, GIVEN[:-1], "not an id", "é" * 32])
def test_where_the_system_has_none_one_is_kept(system: Place, text: str | None) -> None:
    state = system(text)
    first = machine_id()
    assert first is not None
    assert machine_id() == first
    [path] = [path for path in state.rglob("*") if path.is_file()]
    assert path == state / identity.OWN
    assert first not in path.read_text()
    path.unlink()
    assert machine_id() != first, "it is drawn, not computed"


def test_what_is_kept_is_made_again_when_it_is_damaged(system: Place) -> None:
    path = system(None) / identity.OWN
    path.parent.mkdir(parents=True)
    path.write_text("cut sho")
    first = machine_id()
    assert first is not None
    assert machine_id() == first
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_what_another_process_kept_first_stays(system: Place) -> None:
    path = system(None) / identity.OWN
    path.parent.mkdir(parents=True)
    path.write_text(GIVEN)
    before = machine_id()
    identity._keep(path, "f" * 32)
    assert machine_id() == before


def test_a_machine_on_which_nothing_can_be_kept_has_none(system: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    state = system(None)
    state.write_text("a file where a folder should be")
    assert machine_id() is None
    assert provenance.machine()["machine_id"] is None
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(state))
    assert machine_id() is None
    assert not Path("relative").exists()


def test_it_stands_in_what_is_recorded_of_the_machine_and_the_machines_name_does_not(tmp_path: Path) -> None:
    found = provenance.host(tmp_path)
    assert found["machine_id"] == machine_id()
    assert platform.node() not in [value for value in found.values() if isinstance(value, str)]
