"""Engine and version, each named once."""

import pytest

from benchbook.store.answers import named


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
