"""An attempt that was left unfinished blocks the runs of the same engine and machine, and no others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sealing import PROVENANCE

from benchbook.store import find_begun_anew, find_passed_over
from benchbook.store.answers import HERE, MACHINE, named

KEY = "0123456789ab"
NOW = {name: PROVENANCE.get(name) for name in HERE} | {MACHINE: "0" * 16}


@pytest.fixture
def attempt(new_writer: Any) -> Callable[..., str]:
    """Begin a run that never ends; its id."""

    def begin(**changed: Any) -> str:
        writer = new_writer(KEY)
        writer.record["provenance"] = NOW | changed
        writer.record["started_at"] = "2036-01-17T10:00:00+00:00"
        writer.begin_session({})
        writer.close()
        return str(writer.record["id"])

    return begin


def ids(now: dict[str, Any] | None) -> tuple[str, str]:
    """The attempt that blocks, and the one that is passed over."""
    blocking = find_begun_anew("made_up", KEY, now)
    passed = find_passed_over("made_up", KEY, now) if now is not None else None
    return blocking.id if blocking else "", passed.id if passed else ""


def test_an_attempt_of_the_same_engine_and_machine_blocks(make_run: Any, attempt: Any) -> None:
    make_run(KEY)
    own = attempt()
    assert ids(NOW) == (own, "")
    assert ids(None) == (own, "")


@pytest.mark.parametrize("name", HERE)
def test_an_attempt_of_another_one_is_passed_over(make_run: Any, attempt: Any, name: str) -> None:
    make_run(KEY)
    other = attempt(**{name: "another"})
    assert ids(NOW) == ("", other)
    assert ids(NOW | {name: "another"}) == (other, ""), "it blocks what it is an attempt of"
    assert ids(None) == (other, "")


def test_an_attempt_of_before_machines_had_an_id_may_be_of_any(make_run: Any, attempt: Any) -> None:
    make_run(KEY)
    own = attempt(**{MACHINE: None})
    assert ids(NOW) == (own, "")
    assert ids(NOW | {"processor": "another"}) == ("", own)


def test_behind_an_attempt_that_is_passed_over_its_own_one_still_blocks(make_run: Any, attempt: Any) -> None:
    make_run(KEY)
    own, other = attempt(), attempt(engine_version="another")
    assert ids(NOW) == (own, other)


def test_an_attempt_before_any_complete_run_is_none_that_was_begun_anew(home: Path, attempt: Any) -> None:
    attempt()
    assert ids(NOW) == ("", "")


@pytest.mark.parametrize(
    ("engine", "version", "words"),
    [
        ("PostgreSQL", "18.6", "PostgreSQL 18.6"),
        ("RocksDB and SQLite", "RocksDB 7.8.3, SQLite 3.40.1", "RocksDB 7.8.3, SQLite 3.40.1"),
        ("Value file, SQLite, LMDB", "SQLite 3.40.1, LMDB 0.9.24", "SQLite 3.40.1, LMDB 0.9.24"),
        ("simulation", "numpy 2.4.6", "simulation numpy 2.4.6"),
        ("", "", ""),
    ],
)
def test_an_engine_that_its_version_names_is_not_named_twice(engine: str, version: str, words: str) -> None:
    assert named(engine, version) == words
