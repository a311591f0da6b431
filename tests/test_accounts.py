"""Under which account root starts a server, whose folders and processes may be ours, and what the doctor says of it."""

import os
import pwd

import pytest

from benchbook import accounts
from benchbook.doctor import State, machine
from benchbook.errors import MachineError


def having(monkeypatch: pytest.MonkeyPatch, user: int, **shells: str) -> None:
    """A machine on which this process runs as ``user`` and there are only these accounts, numbered from 101."""
    numbers = {name: 101 + place for place, name in enumerate(shells)}

    def found(name: str) -> pwd.struct_passwd:
        number = numbers[name]
        return pwd.struct_passwd((name, "x", number, number, "", "/nonexistent", shells[name]))

    monkeypatch.setattr(accounts.pwd, "getpwnam", found)
    monkeypatch.setattr(os, "geteuid", lambda: user)


def test_an_account_of_its_own_comes_before_those_that_others_use(monkeypatch: pytest.MonkeyPatch) -> None:
    having(monkeypatch, 0, nobody="/usr/sbin/nologin", postgres="/bin/bash", benchbook="/usr/sbin/nologin")
    assert accounts.unprivileged().pw_name == "benchbook"
    assert accounts.ours() == {0, 101, 102, 103}
    [check] = machine.account()
    assert (check.state, check.detail) == (State.OK, "root; PostgreSQL runs as benchbook, an account of its own")


def test_without_one_the_others_are_used_and_the_doctor_says_how_to_make_it(monkeypatch: pytest.MonkeyPatch) -> None:
    having(monkeypatch, 0, nobody="/usr/sbin/nologin", postgres="/bin/bash")
    assert accounts.unprivileged().pw_name == "postgres"
    [check] = machine.account()
    assert check.state is State.WARNING
    assert "postgres, under which other services may run too" in check.detail
    assert check.mend == "useradd --system --no-create-home --shell /usr/sbin/nologin benchbook"


def test_a_person_of_that_name_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    having(monkeypatch, 0, nobody="/usr/sbin/nologin", benchbook="/bin/bash")
    assert accounts.unprivileged().pw_name == "nobody"
    assert accounts.ours() == {0, 101}


def test_without_any_one_line_says_how_to_make_it(monkeypatch: pytest.MonkeyPatch) -> None:
    having(monkeypatch, 0)
    with pytest.raises(MachineError, match=r"refuses to run as root.*; .*useradd --system"):
        accounts.unprivileged()
    [check] = machine.account()
    assert check.state is State.MISSING


def test_an_ordinary_user_has_its_own_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    having(monkeypatch, 1000, nobody="/usr/sbin/nologin", benchbook="/usr/sbin/nologin")
    assert accounts.ours() == {1000}
    [check] = machine.account()
    assert check.state is State.OK
