"""A machine has an id that stays, tells it from others, and from which neither its name nor the system's id follows."""

import platform
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchbook import provenance
from benchbook.provenance import identity
from benchbook.provenance.identity import machine_id

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
    assert first is not None
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
